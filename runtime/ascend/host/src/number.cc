#include "number.h"

namespace machine {

double loadNumber(const void *p, DType t) {
    switch (t) {
    case DType::I8: return loadAs<int8_t>(p);
    case DType::U8: return loadAs<uint8_t>(p);
    case DType::I16: return loadAs<int16_t>(p);
    case DType::U16: return loadAs<uint16_t>(p);
    case DType::I32: return loadAs<int32_t>(p);
    case DType::U32: return loadAs<uint32_t>(p);
    case DType::I64: return double(loadAs<int64_t>(p));
    case DType::U64: return double(loadAs<uint64_t>(p));
    case DType::F16: return halfToFloat(loadAs<uint16_t>(p));
    case DType::BF16: return bf16ToFloat(loadAs<uint16_t>(p));
    case DType::F32: return loadAs<float>(p);
    case DType::F64: return loadAs<double>(p);
    default: return 0;
    }
}

template <class T> static void put(void *p, T v) { std::memcpy(p, &v, sizeof v); }

void storeNumber(void *p, DType t, double v) {
    switch (t) {
    case DType::I8: return put(p, saturated<int8_t>(std::nearbyint(v)));
    case DType::U8: return put(p, saturated<uint8_t>(std::nearbyint(v)));
    case DType::I16: return put(p, saturated<int16_t>(std::nearbyint(v)));
    case DType::U16: return put(p, saturated<uint16_t>(std::nearbyint(v)));
    case DType::I32: return put(p, saturated<int32_t>(std::nearbyint(v)));
    case DType::U32: return put(p, saturated<uint32_t>(std::nearbyint(v)));
    case DType::I64: return put(p, saturated<int64_t>(std::nearbyint(v)));
    case DType::U64: return put(p, saturated<uint64_t>(std::nearbyint(v)));
    case DType::F16: return put(p, floatToHalf(float(v)));
    case DType::BF16: return put(p, floatToBf16(float(v)));
    case DType::F32: return put(p, float(v));
    case DType::F64: return put(p, v);
    default: return;
    }
}

} // namespace machine
