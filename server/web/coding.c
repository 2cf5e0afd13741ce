#include "server/web/coding.h"

#include <string.h>
#include <strings.h>

static const char *const names[PAGE_CODINGS] = {[PAGE_GZIP] = "gzip", [PAGE_BROTLI] = "br"};

const char *page_coding_name(enum page_coding coding)
{
        return names[coding];
}

/* "q=0", "q=0.0" and the like: the coding is refused. */
static bool is_refused(const char *parameters, size_t length)
{
        const char *end = parameters + length, *q = parameters;

        while (q < end && strchr("; \t", *q))
                q++;
        if (end - q < 3 || strncasecmp(q, "q=0", 3))
                return false;
        for (q += 3; q < end; q++)
                if (*q >= '1' && *q <= '9')
                        return false;
        return true;
}

/* Whether the header names the coding and does not refuse it. */
static bool is_accepted(const char *accepted, const char *name)
{
        size_t name_length = strlen(name);

        while (*accepted) {
                accepted += strspn(accepted, ", \t");
                size_t length = strcspn(accepted, ","), word = strcspn(accepted, ",; \t");
                if (word == name_length && !strncasecmp(accepted, name, word))
                        return !is_refused(accepted + word, length - word);
                accepted += length;
        }
        return false;
}

enum page_coding page_coding_choose(const char *accepted, const struct page_file *file)
{
        for (enum page_coding coding = PAGE_BROTLI; accepted && coding > PAGE_PLAIN; coding--)
                if (file->coded[coding].bytes && is_accepted(accepted, names[coding]))
                        return coding;
        return PAGE_PLAIN;
}

bool page_tag_matches(const char *header, const char *tag)
{
        size_t tag_length = strlen(tag);

        while (header && *header) {
                header += strspn(header, ", \t");
                size_t length = strcspn(header, ", \t");
                const char *shown = header;
                if (length > 2 && !strncmp(shown, "W/", 2))
                        shown += 2;
                size_t shown_length = length - (size_t)(shown - header);
                if ((shown_length == tag_length && !strncmp(shown, tag, tag_length)) ||
                    (shown_length == 1 && *shown == '*'))
                        return true;
                header += length;
        }
        return false;
}
