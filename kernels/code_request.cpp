#include "kernels/code_request.h"

namespace reprosum::kernels {

std::string piece_name(std::size_t k, bool wide) {
  return "piece" + std::to_string(k) + (wide ? "_wide" : "_narrow");
}

std::string batch_name(std::size_t k, int rows, bool shared_y) {
  return "batch" + std::to_string(k) + "x" + std::to_string(rows) + (shared_y ? "_shared_y" : "");
}

std::string strided_name(std::size_t k, bool wide) { return "strided_" + piece_name(k, wide); }

}  // namespace reprosum::kernels
