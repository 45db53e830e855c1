// The Ascend C API that the host machine has, for Atlas A2 and A3.
#pragma once
#include "ascendc/base.h"
#include "ascendc/params.h"
#include "ascendc/tensor.h"
#include "ascendc/sync.h"
#include "ascendc/pipe.h"
#include "ascendc/copy.h"
#include "ascendc/elementwise.h"
#include "ascendc/cast.h"
#include "ascendc/compare.h"
#include "ascendc/reduce.h"
#include "ascendc/rearrange.h"
#include "ascendc/cube.h"
