/* SPDX-License-Identifier: MIT */
/* codec.h - how an element looks as a file: the vtable that each format implements, and the registry.
 *
 * There are two sorts of format. A *live* one (raw, npy, pnm, wav) is a header followed by the element's bytes in
 * another order, so any byte range of the file maps to byte ranges of the element: it is read and written in place,
 * by one piece of generic code (core/codec/live.c). A *snapshot* one (png, jpg, txt) is encoded as a whole. A format
 * fills in either `live` or `encode`, never both.
 *
 * Compressed bytes are not promised to be the same between versions of the libraries; pixels are.
 *
 * Threads: no shared state; the registry and what it points to are constant, static memory.
 */
#ifndef JAG_CODEC_H
#define JAG_CODEC_H

#include "jag/buffer.h"
#include "jag/error.h"
#include "jag/shape.h"

/* Where the image is in an element's dimensions; leading dimensions before it number its frames.
 * CHW: the last three are [channels, height, width]. HWC: [height, width, channels]. PLANES: the last two are
 * [height, width]. NONE: not an image. */
enum jag_layout { JAG_LAYOUT_NONE, JAG_LAYOUT_CHW, JAG_LAYOUT_HWC, JAG_LAYOUT_PLANES };

/* Chroma subsampling of a JPEG, as Pillow and cjpeg name it. */
enum jag_subsampling { JAG_420, JAG_422, JAG_444 };

/* How the elements of one sequence are looked at: decided once for each leaf, then constant. */
struct jag_look {
	enum jag_layout layout;
	uint8_t quality;     /* jpg: 1..100, default 95 */
	uint8_t subsampling; /* enum jag_subsampling, default JAG_420 */
	uint8_t png_level;   /* 0 (stored deflate, the default) .. 9 */
	bool npy_bits;       /* npy: bfloat16, float8 as uint16/uint8 */
	bool bgr;            /* the stored channels are B, G, R */
	uint32_t rate;       /* wav: samples of a channel in a second; 0: not known, and the format fits nothing */
};

/* The image that a shape holds under a layout, frames not counted. */
struct jag_geometry {
	uint64_t width, height;
	unsigned channels;
	unsigned depth; /* bits for each value: 1 (bool), 8, 16 */
	bool planar;    /* CHW with more than one channel: the bytes need interleaving */
};

/* A live format's file: header bytes, then `payload` bytes that are the element's, permuted, then perhaps a zero. */
#define JAG_HEADER_MAX 2048
struct jag_live {
	size_t header_nbytes;
	uint64_t payload_nbytes; /* = nbytes of the element */
	unsigned channels;       /* 1: the order of the element itself; > 1: planes are interleaved */
	uint64_t plane_count;    /* items of each plane */
	unsigned itemsize;       /* of one item, for swap and interleaving; channels * itemsize is below 65,536 */
	bool swap;               /* bytes of each item are reversed (big-endian formats) */
	bool reverse;            /* BGR: the first and third channel change places */
	unsigned pixel_items;    /* channels == 1 and reverse: items of one pixel, which lie side by side; else 0 */
	unsigned pad_nbytes;     /* zero bytes behind the payload: 1 where RIFF wants an even number, else 0 */
	uint8_t header[JAG_HEADER_MAX];
};

/* True if all behind the header is the element's bytes as they stand: it can be mapped, spliced, passed straight
 * through. */
static inline bool jag_live_is_plain(const struct jag_live *live)
{
	return live->channels == 1 && !live->swap && !live->reverse && !live->pad_nbytes;
}

/* A decoded file: C order, little-endian. data is owned. Images are [H,W,C] with `image` set. */
struct jag_array {
	struct jag_shape shape;
	struct jag_buffer data;
	bool image;
};

enum jag_format {
	JAG_FORMAT_DIR = 0, /* not a format: the code of directories in node ids */
	JAG_FORMAT_RAW,
	JAG_FORMAT_NPY,
	JAG_FORMAT_PNM, /* .ppm or .pgm, by channels */
	JAG_FORMAT_PAM, /* .pam */
	JAG_FORMAT_PNG,
	JAG_FORMAT_JPG,
	JAG_FORMAT_TXT,
	JAG_FORMAT_WAV,
	JAG_FORMAT_JSON, /* generated read-only text of the tree; no codec */
	JAG_FORMAT_COUNT /* <= 16: node ids have 4 bits for it */
};

struct jag_codec {
	const char *name; /* "png" */
	enum jag_format format;
	const char *const *suffixes; /* all that it answers to, with the dot, NULL at the end */

	/* The suffix of this element's file, one of `suffixes`; NULL if the format does not fit it. */
	const char *(*suffix)(const struct jag_shape *shape, const struct jag_look *look);

	/* Snapshot formats whose size follows from the shape; NULL otherwise. 0 and *nbytes; 1 if it is only known
	 * after encoding (png at level >= 1). */
	int (*size)(const struct jag_shape *shape, const struct jag_look *look, uint64_t *nbytes);

	/* Live formats: header and permutation. -EINVAL if it does not fit. */
	int (*live)(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out);

	/* Snapshot formats: append the whole file to `out`, which holds a part of it after an error. -EINVAL the shape
	 * does not fit; -ENOMEM. */
	int (*encode)(const struct jag_view *view, const struct jag_look *look, struct jag_buffer *out);

	/* A file of this format -> array, which the caller frees in any case. `want` is the element that it is meant for
	 * (txt needs its dtype, wav makes one channel [1,T] for an element of rank 2; the others may use it to refuse
	 * early, before allocating) or NULL. -EINVAL with `err` filled; -E2BIG; -ENOMEM. NULL member: read-only format. */
	int (*decode)(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		      struct jag_array *out, struct jag_error *err);
};

/* NULL if there is none, in all of these. Names ("png") and suffixes (".png") in exact case, without a NUL. */
JAG_API const struct jag_codec *jag_codec_by_format(enum jag_format format);
JAG_API const struct jag_codec *jag_codec_by_name(const char *name, size_t name_nbytes);
JAG_API const struct jag_codec *jag_codec_by_suffix(const char *suffix, size_t suffix_nbytes);

/* The codec whose content this is, by its magic bytes; raw and txt have none. */
JAG_API const struct jag_codec *jag_codec_by_content(const void *bytes, size_t nbytes);

/* No image, and the defaults that are named above; fills in every field. */
JAG_API void jag_look_default(struct jag_look *look);

/* -EINVAL if the shape is no image under the layout (dtype, rank, zero-sized or too large dimensions, channels
 * outside 1..4). The shape must have no frames (rank 2 or 3). */
JAG_API int jag_geometry(const struct jag_shape *shape, const struct jag_look *look, struct jag_geometry *out);

/* Bytes [offset, offset+n) of a live file, clamped at its end: returns the count >= 0, or -errno. The element's
 * bytes come from `fetch` (0 or -errno; all or nothing), which is asked only for what the range needs. */
typedef int (*jag_fetch)(const void *ctx, void *dst, size_t n, uint64_t offset);
JAG_API int64_t jag_live_read(const struct jag_live *live, jag_fetch fetch, const void *ctx, void *dst, size_t n,
			      uint64_t offset);

/* The reverse, for writing in place: header and padding must equal what is there (-EINVAL), a range that crosses
 * the end is -EFBIG; nothing is stored in either case. `store` gets element byte ranges. Permuted payloads are
 * stored in as few calls as there are planes. */
typedef int (*jag_store_bytes)(const void *ctx, const void *src, size_t n, uint64_t offset);
JAG_API int jag_live_write(const struct jag_live *live, jag_fetch fetch, jag_store_bytes store, const void *ctx,
			   const void *src, size_t n, uint64_t offset);

/* A decoded array -> the element's own bytes (layout, plane order, dtype checked): appends shape's nbytes to `out`.
 * -EINVAL with both shapes named in err if it is not the same image or array. */
JAG_API int jag_array_to_element(const struct jag_array *array, const struct jag_shape *shape,
				 const struct jag_look *look, struct jag_buffer *out, struct jag_error *err);

/* Release its data; the struct is the caller's. Fine for {0}, and twice. */
JAG_API void jag_array_free(struct jag_array *array);

#endif
