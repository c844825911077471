// SPDX-License-Identifier: Apache-2.0
// The statistics a component declares beside itself: the registry and every kind there is.
#pragma once

#include "observe/counter.h"
#include "observe/gauge.h"
#include "observe/histogram.h"
#include "observe/ratio.h"
#include "observe/registry.h"
#include "observe/series.h"
