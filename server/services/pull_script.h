/* What a pull runs in the container. */
#ifndef SERVICES_PULL_SCRIPT_H
#define SERVICES_PULL_SCRIPT_H

/* A script for sh(1) with four arguments a repository: its folder's name in the workspace, a bundle or -, the branch,
 * and the commit that the branch is at upstream. For each it prints one line, separated by tabs:
 *   result NAME updated|up_to_date|conflict|missing|failed BEFORE AFTER rebase|merge|- WORDS
 * preceded by lines `file NAME PATH` for what is in conflict. `missing` says that the bundle builds on what is not
 * there. */
extern const char pull_script[];

#endif
