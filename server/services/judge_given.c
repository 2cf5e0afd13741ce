#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/services/judge_collect.h"
#include "server/services/output_files.h"
#include "server/services/recommendation.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"
#include "server/store/judge.h"

#define ARTIFACT_MAXIMUM 16000
#define ARTIFACTS_CHARACTERS 200000
#define DIFFS_MAXIMUM 100
#define DIFFS_LOOK_MAXIMUM 10000
/* Bytes that are read of a file: more than a collected one has. */
#define FILE_MAXIMUM (4 * 1024 * 1024)

struct giving {
        const struct call *call;
        const struct store_task *judge;
        const struct redactor *redactor;
        size_t room; /* characters */
};

/* {path, content}, with {truncated, totalChars} of what is cut and {omitted} of what there is no room for. */
static json_t *artifact(struct giving *giving, const char *folder, char label)
{
        auto_free char *path = text_format("%s/%c.md", folder, label);
        auto_text raw = TEXT_WITH_MAXIMUM(FILE_MAXIMUM), clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2),
                  text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        json_t *view = json_pack("{s:s, s:n}", "path", path, "content");
        int64_t size;
        bool is_cut;
        auto_fd file = output_file_open(giving->call->services, giving->judge->id, path, &size, NULL, &ignored);

        if (!giving->room)
                json_object_set_new(view, "omitted", json_true());
        if (!giving->room || file < 0 || !output_file_read(file, 0, FILE_MAXIMUM, &raw, &ignored))
                return view;
        utf8_append_clean(&clean, text_string(&raw), raw.length);
        redact_append(giving->redactor, &text, text_string(&clean), clean.length);
        auto_free char *content = text_head(text_string(&text), text.length, ARTIFACT_MAXIMUM, &is_cut);
        size_t characters = utf8_count(content, strlen(content));
        if (characters > giving->room) {
                giving->room = 0;
                json_object_set_new(view, "omitted", json_true());
                return view;
        }
        giving->room -= characters;
        json_object_set_new(view, "content", document_text(content, strlen(content)));
        if (is_cut) {
                json_object_set_new(view, "truncated", json_true());
                json_object_set_new(view, "totalChars", json_integer((json_int_t)utf8_count(text.data, text.length)));
        }
        return view;
}

static int by_name(const void *a, const void *b)
{
        return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

/* The names in an open folder, sorted; *omitted counts those beyond DIFFS_MAXIMUM. */
static json_t *names_in(DIR *listing, const struct redactor *redactor, int64_t *omitted)
{
        auto_free json_t **names = memory_new(DIFFS_LOOK_MAXIMUM * sizeof *names);
        json_t *list = json_array();
        struct dirent *entry;
        struct stat info;
        size_t count = 0;

        while (count < DIFFS_LOOK_MAXIMUM && (entry = readdir(listing)))
                if (entry->d_name[0] != '.' && !fstatat(dirfd(listing), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
                    S_ISREG(info.st_mode)) {
                        auto_text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                        utf8_append_clean(&clean, entry->d_name, strlen(entry->d_name));
                        names[count++] = redact_string(redactor, text_string(&clean));
                }
        qsort(names, count, sizeof *names, by_name);
        for (size_t i = 0; i < count; i++)
                if (i < DIFFS_MAXIMUM)
                        json_array_append_new(list, names[i]);
                else
                        json_decref(names[i]);
        *omitted = count > DIFFS_MAXIMUM ? (int64_t)(count - DIFFS_MAXIMUM) : 0;
        return list;
}

/* Opens a folder of the output, no part of which may be a link. NULL when there is none. */
static DIR *open_folder(const struct giving *giving, char label)
{
        auto_free char *output = task_path_output(giving->call->services->data_folder, giving->judge->id);
        const char name[] = {label, '\0'};
        auto_fd root = open(output, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_fd diffs = root < 0 ? -1 : openat(root, JUDGE_DIFFS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_fd own = diffs < 0 ? -1 : openat(diffs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *listing = own < 0 ? NULL : fdopendir(own);

        if (listing)
                take_fd(&own);
        return listing;
}

static void set_diffs(const struct giving *giving, json_t *view, char label)
{
        DIR *listing = open_folder(giving, label);
        int64_t omitted = 0;

        json_object_set_new(view, "diffs", listing ? names_in(listing, giving->redactor, &omitted) : json_array());
        auto_free char *path = text_format(JUDGE_DIFFS "/%c", label);
        json_object_set_new(view, "diffsPath", json_string(path));
        if (omitted)
                json_object_set_new(view, "diffsOmitted", json_integer(omitted));
        if (listing)
                closedir(listing);
}

bool judge_given_view(const struct call *call, const struct store_task *judge, const struct redactor *redactor,
                      json_t **given, struct error *error)
{
        static const char *const folders[][2] = {
                {"summary", JUDGE_SUMMARIES}, {"responses", JUDGE_RESPONSES}, {"history", JUDGE_HISTORY}};
        struct giving giving = {call, judge, redactor, ARTIFACTS_CHARACTERS};
        auto_store_judge_variants variants = {0};

        if (!store_judge_variant_list(call->db, judge->rid, &variants, error))
                return false;
        *given = json_object();
        for (size_t i = 0; i < variants.count; i++) {
                const char label[] = {variants.items[i].label, '\0'};
                json_t *view = json_object();
                for (size_t j = 0; j < COUNT_OF(folders); j++)
                        json_object_set_new(view, folders[j][0], artifact(&giving, folders[j][1], *label));
                set_diffs(&giving, view, *label);
                json_object_set_new(*given, label, view);
        }
        return true;
}
