// The files that report.html carries in itself, built into the program by the rule :assets_gen.
#ifndef HARNESS_REPORT_PAGE_ASSETS_H_
#define HARNESS_REPORT_PAGE_ASSETS_H_

namespace squall::page_assets {

extern const char kUplotCss[];
extern const char kUplotJs[];
extern const char kPageCss[];
extern const char kPageJs[];

}  // namespace squall::page_assets

#endif  // HARNESS_REPORT_PAGE_ASSETS_H_
