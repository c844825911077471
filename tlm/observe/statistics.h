// SPDX-License-Identifier: Apache-2.0
// Includes the registry and every kind of statistic that a component declares.
#pragma once

#include "observe/counter.h"
#include "observe/gauge.h"
#include "observe/histogram.h"
#include "observe/ratio.h"
#include "observe/registry.h"
#include "observe/series.h"
