#include "docker/demux.h"
#include "server/base/text.h"
#include "tests/cmocka.h"
#include "tests/docker/suite.h"

static bool collect(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        text_append(&((struct text *)context)[kind], bytes, length);
        return true;
}

static void append_frame(struct text *out, char kind, size_t length, char fill)
{
        const char header[8] = {kind,        0, 0, 0, (char)(length >> 24), (char)(length >> 16), (char)(length >> 8),
                                (char)length};

        text_append(out, header, sizeof header);
        for (size_t i = 0; i < length; i++)
                text_append(out, &fill, 1);
}

static void pieces_of_any_size_give_the_same_streams(void **state)
{
        static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 13, 1000, 4096, 1 << 20};

        (void)state;
        auto_text frames = TEXT_WITH_MAXIMUM(1 << 20);
        append_frame(&frames, 1, 3, 'a');
        append_frame(&frames, 2, 0, 'x');
        append_frame(&frames, 2, 70000, 'b');
        append_frame(&frames, 1, 1, 'c');
        append_frame(&frames, 0, 2, 'd');
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
                struct text streams[3];
                struct docker_demux demux = {0};
                auto_error error = {0};
                for (size_t k = 0; k < 3; k++)
                        streams[k] = TEXT_WITH_MAXIMUM(1 << 20);
                for (size_t at = 0; at < frames.length; at += sizes[i]) {
                        size_t left = frames.length - at;
                        assert_true(docker_demux_feed(&demux, frames.data + at, left < sizes[i] ? left : sizes[i],
                                                      collect, streams, &error));
                }
                assert_true(docker_demux_is_whole(&demux));
                assert_string_equal(text_string(&streams[0]), "dd");
                assert_string_equal(text_string(&streams[1]), "aaac");
                assert_int_equal(streams[2].length, 70000);
                for (size_t k = 0; k < 3; k++)
                        text_clear(&streams[k]);
        }
}

static void the_middle_of_a_frame_is_no_end(void **state)
{
        struct docker_demux demux = {0};
        struct text streams[3] = {TEXT_WITH_MAXIMUM(9), TEXT_WITH_MAXIMUM(9), TEXT_WITH_MAXIMUM(9)};
        auto_error error = {0};

        (void)state;
        assert_true(docker_demux_is_whole(&demux));
        assert_true(docker_demux_feed(&demux, "\1\0\0", 3, collect, streams, &error));
        assert_false(docker_demux_is_whole(&demux));
        assert_true(docker_demux_feed(&demux, "\0\0\0\0\2x", 6, collect, streams, &error));
        assert_false(docker_demux_is_whole(&demux));
        assert_true(docker_demux_feed(&demux, "y", 1, collect, streams, &error));
        assert_true(docker_demux_is_whole(&demux));
        text_clear(&streams[1]);
}

static void what_is_no_frame_is_refused(void **state)
{
        struct text streams[3] = {0};
        auto_error error = {0};

        (void)state;
        struct docker_demux demux = {0};
        assert_false(docker_demux_feed(&demux, "root@box", 8, collect, streams, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
        demux = (struct docker_demux){0};
        assert_false(docker_demux_feed(&demux, "\1\0\1\0\0\0\0\1", 8, collect, streams, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
}

int test_demux(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(pieces_of_any_size_give_the_same_streams),
                cmocka_unit_test(the_middle_of_a_frame_is_no_end),
                cmocka_unit_test(what_is_no_frame_is_refused),
        };

        return cmocka_run_group_tests_name("docker demux", tests, NULL, NULL);
}
