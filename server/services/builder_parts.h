/* Internal to the builder: its state, and what its parts offer each other. */
#ifndef SERVICES_BUILDER_PARTS_H
#define SERVICES_BUILDER_PARTS_H

#include <pthread.h>

#include "server/services/builder.h"
#include "server/store/build.h"

/* The label of an image, its build's id. Containers inherit it, so it is none of those that tell a task's. */
#define LABEL_BUILD "longshore.build"

enum build_stop { BUILD_GOES_ON, BUILD_CANCELLED, BUILD_SERVER_STOPS };

/* A build that runs. Its timer becomes readable when it is to end: because of `stop`, or because its time is over. */
struct build_run {
        struct build_run *next;
        int64_t rid;
        int timer;
        enum build_stop stop; /* under the builder's mutex */
};

struct builder {
        struct services *services;
        int64_t time_limit_ms; /* tests make it shorter before anything is built */
        pthread_mutex_t mutex;
        pthread_cond_t changed;
        uint64_t wakes;
        bool is_stopping;
        struct build_run *runs;
        pthread_t threads[BUILDER_THREADS];
        size_t thread_count;
};

/* Registers a run, so that it can be stopped; one of a builder that stops is stopped at once. */
void builder_enter(struct builder *builder, struct build_run *run);
void builder_leave(struct builder *builder, struct build_run *run);
enum build_stop builder_stop_reason(struct builder *builder, const struct build_run *run);
/* Waits a moment before something that failed is tried again; false once the builder stops. */
bool builder_pause(struct builder *builder);

/* build_run.c: makes the image of a build that was taken up, and records its end. */
void build_run(struct builder *builder, struct store_db *db, const struct store_build *build);

/* build_images.c: removes images that are of no more use and that no container uses. */
void build_images_sweep(struct builder *builder, struct store_db *db);
/* Forgets builds that have no image any more and BUILDS_KEPT newer ones, with their output. */
void build_records_sweep(struct builder *builder, struct store_db *db);
#define BUILDS_KEPT 50
/* The reference that a build's image gets, on the heap: longshore-env/NAME:ID, NAME in the letters that the engine
 * allows. */
char *build_image_reference(const char *environment_name, const char *build_id);

#endif
