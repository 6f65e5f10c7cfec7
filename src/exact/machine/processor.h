// Who made this machine's processor.
#pragma once

namespace reprosum::exact {

bool is_amd();

}  // namespace reprosum::exact
