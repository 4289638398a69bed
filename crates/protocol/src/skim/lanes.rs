//! Many bytes at once: 16 on every machine, 32 where the processor has AVX2.

use wide::u8x16;

/// Bytes side by side. A comparison gives all ones or all zeros in each.
pub(crate) trait Lanes: Copy {
    const BYTES: usize;

    /// Takes `BYTES` bytes; what is missing is zero.
    fn load(bytes: &[u8]) -> Self;
    fn is(self, byte: u8) -> Self;
    /// Tells which lie from `low` to `high`.
    fn is_within(self, low: u8, high: u8) -> Self;
    fn or(self, other: Self) -> Self;
    fn and_not(self, other: Self) -> Self;
    /// Returns a bit for each byte, the lowest for the first.
    fn bits(self) -> u64;
}

impl Lanes for u8x16 {
    const BYTES: usize = 16;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Self::new(bytes.first_chunk().copied().unwrap_or_default())
    }

    #[inline(always)]
    fn is(self, byte: u8) -> Self {
        self.simd_eq(Self::splat(byte))
    }

    #[inline(always)]
    fn is_within(self, low: u8, high: u8) -> Self {
        let above = self - Self::splat(low);
        above.min(Self::splat(high - low)).simd_eq(above)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bitmask())
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Invariant: an `Avx2` is made and used only inside of functions that are compiled for AVX2, which are called
    //! only where the processor has it; so every intrinsic here may be called.
    #![expect(unsafe_code, reason = "intrinsics may be called only where the processor has them")]

    use std::arch::x86_64::{
        __m256i, _mm256_andnot_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_sub_epi8,
    };

    use super::Lanes;

    /// 32 bytes in one register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256i);

    impl Lanes for Avx2 {
        const BYTES: usize = 32;

        #[inline(always)]
        fn load(bytes: &[u8]) -> Self {
            let bytes: [u8; 32] = bytes.first_chunk().copied().unwrap_or_default();
            // SAFETY: 32 bytes are read from an array of 32 bytes.
            Self(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn is(self, byte: u8) -> Self {
            // SAFETY: the invariant above.
            Self(unsafe { _mm256_cmpeq_epi8(self.0, _mm256_set1_epi8(byte.cast_signed())) })
        }

        #[inline(always)]
        fn is_within(self, low: u8, high: u8) -> Self {
            // SAFETY: the invariant above.
            unsafe {
                let above = _mm256_sub_epi8(self.0, _mm256_set1_epi8(low.cast_signed()));
                let limit = _mm256_set1_epi8((high - low).cast_signed());
                Self(_mm256_cmpeq_epi8(_mm256_min_epu8(above, limit), above))
            }
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: the invariant above.
            Self(unsafe { _mm256_or_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            // SAFETY: the invariant above.
            Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }

        #[inline(always)]
        fn bits(self) -> u64 {
            // SAFETY: the invariant above.
            u64::from(unsafe { _mm256_movemask_epi8(self.0) }.cast_unsigned())
        }
    }
}
