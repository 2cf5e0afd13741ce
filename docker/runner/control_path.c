#include "docker/runner/control.h"
#include "server/base/text.h"

char *control_path_requests(const char *folder)
{
        return text_format("%s/requests", folder);
}

char *control_path_runs(const char *folder)
{
        return text_format("%s/runs", folder);
}

char *control_path_prompt(const char *folder, const char *name)
{
        return text_format("%s/prompts/%s", folder, name);
}

char *control_path_start(const char *folder, const char *run)
{
        return text_format("%s/requests/start-%s.json", folder, run);
}

char *control_path_stop(const char *folder, const char *run)
{
        return text_format("%s/requests/stop-%s.json", folder, run);
}

char *control_path_claimed(const char *folder, const char *run)
{
        return text_format("%s/runs/%s.request.json", folder, run);
}

char *control_path_exit(const char *folder, const char *run)
{
        return text_format("%s/runs/%s.exit.json", folder, run);
}
