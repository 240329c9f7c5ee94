/* SPDX-License-Identifier: MIT */
/* file.c - data files: opening, whole reads and writes, the shared mapping, sync. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "checked.h"
#include "cleanup.h"
#include "resolve.h"
#include "transfer.h"

/* With a POSIX ACL the group bits of st_mode are the mask, which may promise more than the owning group has. The
 * attribute is a 32-bit version (2) and entries {tag u16, permissions u16, id u32}, little-endian. */
static uint32_t mode_without_acl_mask(int fd, uint32_t mode)
{
	enum { header = 4, entry = 8, tag_group_obj = 0x04, entries_max = 64 };
	uint8_t acl[header + entry * entries_max];
	ssize_t n = fgetxattr(fd, "system.posix_acl_access", acl, sizeof(acl));
	if (n < header)
		/* none, no support, or so many entries that they do not fit: then nothing for the group */
		return n < 0 && errno == ERANGE ? mode & ~(uint32_t)S_IRWXG : mode;
	for (ssize_t at = header; at + entry <= n; at += entry) {
		if ((acl[at] | acl[at + 1] << 8) == tag_group_obj)
			return (mode & ~(uint32_t)S_IRWXG) | (uint32_t)(acl[at + 2] & 7) << 3;
	}
	return mode;
}

static void fill_attr(struct jag_file *file, int fd, const struct stat *st)
{
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	file->nbytes = (uint64_t)st->st_size;
	file->sparse = st->st_blocks < (st->st_size + 511) / 512;
	file->attr = (struct jag_file_attr){
		.uid = st->st_uid,
		.gid = st->st_gid,
		.mode = mode_without_acl_mask(fd, st->st_mode & 0777),
		.mtime_sec = st->st_mtim.tv_sec,
		.mtime_nsec = (uint32_t)st->st_mtim.tv_nsec,
		.writable = file->write_error == 0,
	};
}

/* O_RDWR if it may be, else O_RDONLY and the reason that a write will get. */
static int open_as_allowed(struct jag_root *root, struct jag_file *file, bool write)
{
	file->write_error = -EROFS;
	if (write) {
		file->open_flags = O_RDWR;
		int fd = jag_resolve(root, file->path, O_RDWR);
		if (fd >= 0)
			file->write_error = 0;
		if (fd != -EACCES && fd != -EROFS && fd != -EPERM && fd != -ETXTBSY)
			return fd;
		file->write_error = fd == -EROFS ? -EROFS : -EACCES;
	}
	file->open_flags = O_RDONLY;
	return jag_resolve(root, file->path, O_RDONLY);
}

static int stat_regular(int fd, struct stat *st)
{
	if (fstat(fd, st) < 0)
		return -errno;
	return S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
}

int jag_file_open(struct jag_root *root, const char *path, bool write, struct jag_file **out)
{
	struct jag_file *file JAG_AUTO_FREE = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->root = root;
	file->path = path;
	int fd JAG_AUTO_CLOSE = open_as_allowed(root, file, write);
	if (fd < 0)
		return fd;
	struct stat st;
	int rc = stat_regular(fd, &st);
	if (rc)
		return rc;
	fill_attr(file, fd, &st);
	file->fd = -1;
	if (root->kept_count < root->kept_max) {
		root->kept_count++;
		file->fd = jag_steal_fd(&fd);
	}
	*out = JAG_STEAL(file);
	return 0;
}

void jag_file_close(struct jag_file *file)
{
	if (!file)
		return;
	if (file->map)
		munmap(file->map, file->nbytes);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

void jag_file_attr(const struct jag_file *file, struct jag_file_attr *out)
{
	*out = file->attr;
}

int jag_root_attr(const struct jag_root *root, struct jag_file_attr *out)
{
	struct stat st;
	if (fstat(root->fd, &st) < 0)
		return -errno;
	*out = (struct jag_file_attr){
		.uid = st.st_uid,
		.gid = st.st_gid,
		.mode = st.st_mode & 0666,
		.mtime_sec = st.st_mtim.tv_sec,
		.mtime_nsec = (uint32_t)st.st_mtim.tv_nsec,
	};
	return 0;
}

/* A descriptor for one use. `own` must be closed by the caller (JAG_AUTO_CLOSE), and stays -1 if the file keeps its
 * descriptor. */
static int borrow_fd(const struct jag_file *file, int *own)
{
	if (file->fd >= 0)
		return file->fd;
	int fd JAG_AUTO_CLOSE = jag_resolve(file->root, file->path, file->open_flags);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? -ESTALE : fd;
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_dev != file->dev || st.st_ino != file->ino)
		return -ESTALE;
	return *own = jag_steal_fd(&fd);
}

/* Still there, and still at least `end` bytes? */
static int check_alive(int fd, uint64_t end)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_nlink == 0)
		return -ESTALE;
	return end > (uint64_t)st.st_size ? -EIO : 0;
}

static int check_range(int fd, uint64_t n, uint64_t offset)
{
	uint64_t end;
	if (jag_checked_add(offset, n, &end))
		return -EIO;
	return check_alive(fd, end);
}

int jag_root_slurp(struct jag_root *root, const char *path, uint64_t limit, uint8_t **bytes, size_t *nbytes)
{
	int fd JAG_AUTO_CLOSE = jag_resolve(root, path, O_RDONLY);
	if (fd < 0)
		return fd;
	struct stat st;
	int rc = stat_regular(fd, &st);
	if (rc)
		return rc;
	if ((uint64_t)st.st_size > limit)
		return -EFBIG;
	uint8_t *buf JAG_AUTO_FREE = malloc((size_t)st.st_size + 1);
	if (!buf)
		return -ENOMEM;
	rc = jag_read_at(fd, buf, (size_t)st.st_size, 0);
	if (rc)
		return rc;
	buf[st.st_size] = '\0';
	*nbytes = (size_t)st.st_size;
	*bytes = JAG_STEAL(buf);
	return 0;
}

int jag_file_read(const struct jag_file *file, void *dst, size_t n, uint64_t offset)
{
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	if (fd < 0)
		return fd;
	int rc = check_range(fd, n, offset);
	return rc ? rc : jag_read_at(fd, dst, n, offset);
}

int jag_file_read_quick(const struct jag_file *file, void *dst, size_t n, uint64_t offset)
{
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	return fd < 0 ? fd : jag_read_at(fd, dst, n, offset);
}

int jag_file_fd(const struct jag_file *file, size_t n, uint64_t offset, int *fd)
{
	if (file->fd < 0)
		return -EOPNOTSUPP;
	*fd = file->fd;
	return check_range(file->fd, n, offset);
}

/* Take the space before the write, so that a full disk is found while the old bytes are still whole. Does not change
 * the file's length. */
static int fill_holes(int fd, size_t n, uint64_t offset)
{
	int rc;
	do
		rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)n);
	while (rc < 0 && errno == EINTR);
	return rc < 0 && (errno == ENOSPC || errno == EDQUOT) ? -errno : 0;
}

int jag_file_reserve(const struct jag_file *file, size_t n, uint64_t offset)
{
	if (file->write_error || !file->sparse || n == 0)
		return file->write_error;
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	if (fd < 0)
		return fd;
	int rc = check_range(fd, n, offset);
	return rc ? rc : fill_holes(fd, n, offset);
}

int jag_file_write(const struct jag_file *file, const void *src, size_t n, uint64_t offset)
{
	if (file->write_error)
		return file->write_error;
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	if (fd < 0)
		return fd;
	/* pwrite would extend a file that has been cut */
	int rc = check_range(fd, n, offset);
	return rc ? rc : jag_write_at(fd, src, n, offset);
}

int jag_file_holes(const struct jag_file *file, uint64_t offset, uint64_t n, uint64_t *holes)
{
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	uint64_t end;
	if (fd < 0 || jag_checked_add(offset, n, &end))
		return fd < 0 ? fd : -EOVERFLOW;
	*holes = 0;
	while (offset < end) {
		off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			return errno == EINVAL ? 0 : -errno;
		uint64_t start = data < 0 || (uint64_t)data > end ? end : (uint64_t)data;
		*holes += start - offset;
		if (start == end)
			break;
		off_t hole = lseek(fd, (off_t)start, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		offset = (uint64_t)hole > start ? (uint64_t)hole : end;
	}
	return 0;
}

/* The mapping of the whole file, made by whoever comes first; NULL if there can be none. */
static uint8_t *shared_map(const struct jag_file *file, int fd)
{
	void **slot = (void **)(uintptr_t)&file->map;
	void *map = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (map || file->nbytes == 0)
		return map;
	map = mmap(NULL, file->nbytes, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	void *other = NULL;
	if (!__atomic_compare_exchange_n(slot, &other, map, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(map, file->nbytes);
		map = other;
	}
	return map;
}

/* msync of a shared mapping calls the filesystem's fsync for the range, also for pages that pwrite made dirty; a sync
 * of the whole file would wait for everything that other processes have dirtied in it. */
int jag_file_sync(const struct jag_file *file, uint64_t n, uint64_t offset)
{
	int own JAG_AUTO_CLOSE = -1;
	int fd = borrow_fd(file, &own);
	if (fd < 0)
		return fd;
	int rc = check_range(fd, n, offset);
	if (rc || n == 0)
		return rc;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = offset / page * page;
	/* The kernel ignores msync on a mapping of a descriptor that cannot write. */
	uint8_t *map = file->write_error ? NULL : shared_map(file, fd);
	if (map && jag_range_inside(offset, n, file->nbytes))
		rc = msync(map + start, offset + n - start, MS_SYNC);
	else
		rc = fdatasync(fd);
	return rc < 0 ? -errno : 0;
}
