#include "server/services/engine.h"

#include <pthread.h>
#include <string.h>

#include "server/base/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct engine_state current = {.message = "The engine has not been asked yet."};

static void copy_cut(char *to, size_t size, const char *from)
{
        auto_text clean = TEXT_WITH_MAXIMUM(4 * size);

        if (from)
                utf8_append_clean(&clean, from, strnlen(from, size));
        const char *text = text_string(&clean);
        size_t length = strlen(text) < size ? strlen(text) : size - 1;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
                length--;
        memcpy(to, text, length);
        to[length] = '\0';
}

void engine_state_set(bool is_reachable, const char *version, const char *message)
{
        struct engine_state state = {.is_reachable = is_reachable};

        copy_cut(state.version, sizeof state.version, version);
        copy_cut(state.message, sizeof state.message, is_reachable ? NULL : message);
        pthread_mutex_lock(&lock);
        current = state;
        pthread_mutex_unlock(&lock);
}

void engine_state_get(struct engine_state *state)
{
        pthread_mutex_lock(&lock);
        *state = current;
        pthread_mutex_unlock(&lock);
}
