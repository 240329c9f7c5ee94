/* SPDX-License-Identifier: MIT */
/* api.h - what every public header of libjag needs: the export macro, fixed-width types, and the rules that hold
 * for the whole library.
 *
 * Errors:  every function that can fail returns 0 or a negative errno ("-errno"); functions that count return
 *          >= 0 or -errno. errno itself is never set for the caller. See error.h.
 * Threads: objects are built by one thread. Once built, stores, sequences and trees are immutable and may be used
 *          from any number of threads; where a header says otherwise, that wins.
 * Units:   names that end in nbytes are bytes, names that end in count are items, offsets are bytes from the start.
 * Output:  the library never prints and never installs signal handlers.
 */
#ifndef JAG_API_H
#define JAG_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JAG_API __attribute__((visibility("default")))
#define JAG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#endif
