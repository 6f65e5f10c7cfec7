#!/usr/bin/env bash
# Guess:    MatMul of the same two matrices gives the same bits whether the second one is an input
#           of the graph or a constant in it.
# Truth:    a constant is packed when the model is loaded, and the packed kernel cuts the sum
#           elsewhere: with 200 columns the bits agree for K = 128 and part from K = 129 on.
# Version:  ONNX Runtime 1.32.0 with onnx 1.23.2 (wheels), CPU, x86-64, one thread
# Evidence: both graphs on the same random matrices, two rows
. "$(dirname "$0")/setup.sh"
wheels onnx onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
with onnx <<'PYTHON'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from orders import check


def product(a, b, constant):
    def value(name, rows, columns):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, columns])
    k, n = b.shape
    inputs, constants, fed = [value("A", 2, k)], [], {"A": a}
    if constant:
        constants = [helper.make_tensor("B", TensorProto.FLOAT, b.shape, b.tobytes(), raw=True)]
    else:
        inputs.append(value("B", k, n))
        fed["B"] = b
    node = helper.make_node("MatMul", ["A", "B"], ["C"])
    graph = helper.make_graph([node], "product", inputs, [value("C", 2, n)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, fed)[0]


print("ONNX Runtime", onnxruntime.__version__)
random = np.random.default_rng(1)
for k, parts in ((64, False), (128, False), (129, True), (256, True)):
    a = random.standard_normal((2, k), np.float32)
    b = random.standard_normal((k, 200), np.float32)
    differ = int((product(a, b, True) != product(a, b, False)).sum())
    check(f"K = {k}: {differ} of 400 outputs differ", (differ > 0) == parts)
PYTHON
