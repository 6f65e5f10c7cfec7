// The functions of OpenCL's loader, found when they are first needed. Includes the Khronos headers.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <string>

namespace reprosum::base {

// What of OpenCL 1.2 is called here.
// clang-format off
#define REPROSUM_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) \
  X(clCreateContext) X(clRetainContext) X(clReleaseContext) X(clCreateCommandQueue) X(clReleaseCommandQueue) \
  X(clGetCommandQueueInfo) X(clFinish) X(clCreateBuffer) X(clReleaseMemObject) X(clGetMemObjectInfo) X(clEnqueueReadBuffer) \
  X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clCreateProgramWithSource) \
  X(clCreateProgramWithBinary) X(clBuildProgram) X(clReleaseProgram) X(clGetProgramInfo) \
  X(clGetProgramBuildInfo) X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) \
  X(clGetKernelInfo) X(clGetKernelArgInfo) X(clEnqueueNDRangeKernel)
// clang-format on

struct OpenClDriver {
  std::string library;  // by which name it was found
  int generation = 0;   // in which process (fork_gate.h)
#define REPROSUM_MEMBER(function) decltype(&::function) function = nullptr;
  REPROSUM_OPENCL_FUNCTIONS(REPROSUM_MEMBER)
#undef REPROSUM_MEMBER
};

// nullptr where the system has no libOpenCL.so.1, or one without those functions: `why` says so.
// Looked for again at every call until it is found. Nor in a child of fork whose parent found it.
const OpenClDriver* opencl_driver(std::string* why);

}  // namespace reprosum::base
