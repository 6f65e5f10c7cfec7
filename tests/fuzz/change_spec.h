// Real specs made odd: changes after which most are still well formed, and many still trees.
#pragma once

#include <random>

#include "spec/spec.h"

// One change somewhere in an order, a region rule or what an entry says of it.
void change(reprosum::spec::Spec& spec, std::mt19937_64& random);
