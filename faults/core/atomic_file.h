// Replaces a file as a whole: whoever reads it, and whatever dies in between, sees the old content or the new one.
//
//   RETURN_IF_ERROR(WriteFileAtomically(RealOs(), dir + "/report.json", text));
#ifndef FAULTS_CORE_ATOMIC_FILE_H_
#define FAULTS_CORE_ATOMIC_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "faults/core/os.h"

namespace squall {

// Writes PATH.tmp (0600 less the umask), syncs it, renames it over PATH. One writer at a time. On an error PATH is as
// it was, and the error names the step; a PATH.tmp may be left and the next write replaces it.
absl::Status WriteFileAtomically(Os* os, const std::string& path, std::string_view content);

}  // namespace squall

#endif  // FAULTS_CORE_ATOMIC_FILE_H_
