// Ferry: CFerrySystem
// zlib's inflate, without its structs.

#include "Inflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

void *ferry_inflate_open(int window_bits) {
    z_stream *stream = calloc(1, sizeof(z_stream));
    if (stream != NULL && inflateInit2(stream, window_bits) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static uInt clamped(size_t size) { return size > INT_MAX ? INT_MAX : (uInt)size; }

ferry_inflate_step_result ferry_inflate_step(
    void *opaque, const uint8_t *input, size_t input_size, uint8_t *output, size_t output_size) {
    z_stream *stream = opaque;
    uInt given = clamped(input_size), room = clamped(output_size);
    stream->next_in = (Bytef *)input;
    stream->avail_in = given;
    stream->next_out = output;
    stream->avail_out = room;
    int code = inflate(stream, Z_NO_FLUSH);
    ferry_inflate_step_result step = {
        .consumed = given - stream->avail_in,
        .produced = room - stream->avail_out,
    };
    switch (code) {
        // Z_BUF_ERROR: no progress is possible without more input or output space.
        case Z_OK: case Z_BUF_ERROR: step.result = ferry_inflate_more; break;
        case Z_STREAM_END: step.result = ferry_inflate_end; break;
        case Z_MEM_ERROR: step.result = ferry_inflate_no_memory; break;
        default: step.result = ferry_inflate_corrupt; break;
    }
    stream->next_in = NULL;
    stream->next_out = NULL;
    return step;
}

void ferry_inflate_reset(void *stream) { inflateReset(stream); }

void ferry_inflate_close(void *stream) {
    inflateEnd(stream);
    free(stream);
}
