package cuda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DefaultCacheBytes bounds a cache that is opened with no limit of its own.
const DefaultCacheBytes = 512 << 20

// Cache keeps compilation results on disk by content: the source, the options and the compiler's identity. Processes may
// share one. A damaged or missing entry is a compilation, never an error.
type Cache struct {
	dir   string
	limit int64
}

// OpenCache opens the folder "compiled" of the search's cache folder. When it holds more than limit bytes (0: the
// default), the entries that were not used for longest go.
func OpenCache(search Search, limit int64) (*Cache, error) {
	root, err := search.cacheRoot()
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = DefaultCacheBytes
	}
	return &Cache{dir: filepath.Join(root, "compiled"), limit: limit}, nil
}

// Compile returns the remembered result, or has the toolchain compile and remembers that. Errors are not remembered.
func (c *Cache) Compile(ctx context.Context, t *Toolchain, source Source, options Options) (*Result, error) {
	name, err := cacheKey(t.Identity(), source, options)
	if err != nil {
		return nil, err
	}
	if result := c.get(name); result != nil {
		return result, nil
	}
	result, err := t.Compile(ctx, source, options)
	if err != nil {
		return nil, err
	}
	c.put(name, result)
	return result, nil
}

// cacheKey is the entry's file name. The source's name counts, as messages and line tables have it.
func cacheKey(identity string, source Source, options Options) (string, error) {
	args, err := options.arguments()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range append([]string{cacheMagic, identity, source.Name, source.Text}, args...) {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)) + cacheSuffix, nil
}

// An entry is the magic line, the SHA-256 of the rest, and the gob of a Result.
const (
	cacheMagic  = "tilec compiled 1\n"
	cacheSuffix = ".kernel"
)

func encodeEntry(result *Result) ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(result); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body.Bytes())
	return slices.Concat([]byte(cacheMagic), sum[:], body.Bytes()), nil
}

// decodeEntry returns nil for anything but a whole entry.
func decodeEntry(data []byte) *Result {
	rest, ok := bytes.CutPrefix(data, []byte(cacheMagic))
	if !ok || len(rest) < sha256.Size {
		return nil
	}
	body := rest[sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(rest) {
		return nil
	}
	var result Result
	if gob.NewDecoder(bytes.NewReader(body)).Decode(&result) != nil {
		return nil
	}
	return &result
}

func (c *Cache) get(name string) *Result {
	path := filepath.Join(c.dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	result := decodeEntry(data)
	if result == nil {
		os.Remove(path)
		return nil
	}
	now := time.Now()
	os.Chtimes(path, now, now) // marks the use; failing costs an early eviction only
	return result
}

// put writes an entry by renaming, so that readers see all of it or nothing. A full or read-only disk costs the entry.
func (c *Cache) put(name string, result *Result) {
	data, err := encodeEntry(result)
	if err != nil || int64(len(data)) > c.limit {
		return
	}
	if os.MkdirAll(c.dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(c.dir, "*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
		return
	}
	c.prune()
}

// cacheEntry is a file of the cache.
type cacheEntry struct {
	path string
	size int64
	used time.Time
}

// entries lists the whole entries, oldest use first, and removes what a killed writer left.
func (c *Cache) entries() (all []cacheEntry, total int64) {
	for _, name := range names(c.dir) {
		path := filepath.Join(c.dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if !strings.HasSuffix(name, cacheSuffix) {
			if strings.HasSuffix(name, ".tmp") && time.Since(info.ModTime()) > time.Hour {
				os.Remove(path)
			}
			continue
		}
		all = append(all, cacheEntry{path, info.Size(), info.ModTime()})
		total += info.Size()
	}
	slices.SortFunc(all, func(a, b cacheEntry) int { return a.used.Compare(b.used) })
	return all, total
}

// prune removes the entries unused for longest until three quarters of the limit are left.
func (c *Cache) prune() {
	all, total := c.entries()
	if total <= c.limit {
		return
	}
	for _, e := range all {
		if total <= c.limit/4*3 {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}

// Size returns the number of entries and their bytes.
func (c *Cache) Size() (entries int, bytes int64) {
	all, total := c.entries()
	return len(all), total
}

// Dir is the folder of the entries.
func (c *Cache) Dir() string { return c.dir }
