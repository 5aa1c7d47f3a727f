// Ferry: CFerrySystem
// zlib's inflate, without its structs.

#ifndef FERRY_INFLATE_H
#define FERRY_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    /// More output may be pending, or more input is needed.
    ferry_inflate_more,
    /// The stream has ended. Remaining input belongs to whatever follows it.
    ferry_inflate_end,
    /// The input is not a valid stream.
    ferry_inflate_corrupt,
    ferry_inflate_no_memory,
} ferry_inflate_result;

typedef struct {
    ferry_inflate_result result;
    size_t consumed;
    size_t produced;
} ferry_inflate_step_result;

/// Allocates the state of one stream. NULL if out of memory. `window_bits` is that of inflateInit2.
void *ferry_inflate_open(int window_bits);

/// Decodes input until it is consumed, the output is full, or the stream ends.
ferry_inflate_step_result ferry_inflate_step(
    void *stream, const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size);

/// Restarts the decoder for another stream of the same format.
void ferry_inflate_reset(void *stream);

void ferry_inflate_close(void *stream);

#endif
