/* The files of the web page, inside the program. The build writes the table. */
#ifndef WEB_FILES_H
#define WEB_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum page_coding { PAGE_PLAIN, PAGE_GZIP, PAGE_BROTLI, PAGE_CODINGS };

/* One form of a file; `bytes` is NULL when there is none of that coding. */
struct page_bytes {
        const char *bytes, *end;
};

struct page_file {
        const char *name;  /* "index.html", or "assets/..." */
        const char *tag;   /* of its content, for entity tags */
        bool is_immutable; /* its name changes with its content */
        struct page_bytes coded[PAGE_CODINGS];
};

/* Ends with a row without a name; that is the only one when the page was not built. */
extern const struct page_file page_files[];

/* The bytes stay out of the compiler's way: the assembler takes them from the file. */
#define PAGE_BYTES(number, path)                                                                                       \
        __asm__(".pushsection .rodata\n"                                                                               \
                "page_bytes_" #number ": .incbin \"" path "\"\n"                                                       \
                "page_bytes_end_" #number ": .byte 0\n"                                                                \
                ".popsection\n");                                                                                      \
        extern const char page_bytes_##number[], page_bytes_end_##number[];
#define PAGE_PIECE(number)                                                                                             \
        {                                                                                                              \
                page_bytes_##number, page_bytes_end_##number                                                           \
        }

#endif
