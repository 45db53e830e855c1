// Elements as numbers of the host.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include "machine/interface.h"

namespace machine {

template <class T> inline T loadAs(const void *p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

// saturated converts to an integer type, keeping to its range; NaN gives 0.
template <class T> inline T saturated(double v) {
    if (std::isnan(v)) return 0;
    double lo = double(std::numeric_limits<T>::min()), hi = double(std::numeric_limits<T>::max());
    if (v <= lo) return std::numeric_limits<T>::min();
    if (v >= hi) return std::numeric_limits<T>::max();
    return T(v);
}

double loadNumber(const void *, DType);
void storeNumber(void *, DType, double); // rounded to nearest even, integers saturated

} // namespace machine
