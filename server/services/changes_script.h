/* What saving changes runs in the container. */
#ifndef SERVICES_CHANGES_SCRIPT_H
#define SERVICES_CHANGES_SCRIPT_H

/* A script for sh(1). Its first four arguments are the most files, the bytes of one file, of all files and of a pack
 * beyond which content is not handed out; then come three a repository: its folder's name in the workspace, the commit
 * that its work began with ("none": there was none, "-": not known) and the tree that is known already, or -. It prints
 * the packs one behind the other, and as errors one line, separated by tabs, for each repository:
 *   tree NAME BASE BRANCH TREE base|same|pack SIZE yes|no    (whether every file could be read)
 *   gone NAME BASE BRANCH missing|broken|too_large
 * preceded by lines `left NAME added|modified SIZE PATH` for files whose content is not handed out. */
extern const char changes_script[];

#endif
