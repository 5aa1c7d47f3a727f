// Ferry: CFerrySystem
// zlib's inflate, without its structs.

#ifndef FERRY_INFLATE_H
#define FERRY_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /// There may be more to come out, or more is needed.
    ferry_inflate_more,
    /// The end of a stream; input that is left belongs to what follows it.
    ferry_inflate_end,
    /// The input is no such stream.
    ferry_inflate_corrupt,
    ferry_inflate_no_memory,
} ferry_inflate_result;

typedef struct {
    ferry_inflate_result result;
    size_t consumed;
    size_t produced;
} ferry_inflate_step_result;

/// The state of one stream; NULL without memory. `window_bits` as inflateInit2 takes it.
void *ferry_inflate_open(int window_bits);

/// Decodes some of the input into the output.
ferry_inflate_step_result ferry_inflate_step(
    void *stream, const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size);

/// Begins another stream of the same kind.
void ferry_inflate_reset(void *stream);

void ferry_inflate_close(void *stream);

#endif
