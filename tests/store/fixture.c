#include "tests/store/fixture.h"

#include "server/base/path.h"

int fixture_open(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);
        auto_error error = {0};

        strcpy(fixture->folder, "/tmp/longshore-store-XXXXXX");
        assert_non_null(mkdtemp(fixture->folder));
        fixture->store = store_open(fixture->folder, &error);
        assert_non_null(fixture->store);
        fixture->db = store_reader_open(fixture->store, &error);
        assert_non_null(fixture->db);
        *state = fixture;
        return 0;
}

int fixture_close(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        store_reader_close(fixture->db);
        store_close(fixture->store);
        assert_true(path_remove_tree(fixture->folder, &error));
        free(fixture);
        return 0;
}

void fixture_write(struct fixture *fixture, store_work *work, void *context)
{
        auto_error error = {0};

        if (!store_write(fixture->store, work, context, &error))
                fail_msg("%s", error.message);
}
