// SPDX-License-Identifier: Apache-2.0
#pragma once

// With this, cuda.h declares every version of every entry point under its real symbol name, so that the
// compiler checks our prototypes against NVIDIA's. Only these headers may be included beside it: cupti.h
// declares dummies for the old structs that it uncovers.
#define __CUDA_API_VERSION_INTERNAL  // NOLINT(bugprone-reserved-identifier): NVIDIA's name
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_nvtx_cbid.h>
#include <cupti_result.h>
#include <cupti_runtime_cbid.h>
#include <cupti_version.h>
#include <generated_cuda_meta.h>
