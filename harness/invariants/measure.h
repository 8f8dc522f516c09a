// A plan's measures: trees of arithmetic over primitive measures, recoveries of invariants and earlier measures.
//
//   MeasureSet measures;
//   measures.Add("crashes", "count", *ParseMeasure("count of exits"), &compiler, &graph, &steps);
//   std::vector<report::v1::MeasureResult> results = measures.Results(recovery_of);
//
// What is undefined makes everything it is part of undefined, with the reason; nothing is ever 0 for want of data.
#ifndef HARNESS_INVARIANTS_MEASURE_H_
#define HARNESS_INVARIANTS_MEASURE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/api/report.pb.h"
#include "harness/invariants/measure_task.h"

namespace squall {

class MeasureSet {
 public:
  using RecoveryOf = std::function<MeasureValue(const std::string& invariant)>;

  void Add(const plan::v1::Measure& plan, ast::Measure measure, Compiler* compiler, Graph* graph,
           const StepBook* steps);
  std::vector<report::v1::MeasureResult> Results(const RecoveryOf& recovery_of) const;
  // The tasks of all primitive measures.
  std::vector<MeasureTask*> tasks() const;

 private:
  struct Tree {
    ast::Measure measure;
    std::unique_ptr<MeasureTask> task;
    std::vector<Tree> children;
  };
  struct Entry {
    plan::v1::Measure plan;
    Tree tree;
  };
  static Tree Build(ast::Measure measure, Compiler* compiler, Graph* graph, const StepBook* steps);
  MeasureValue Evaluate(const Tree& tree, const RecoveryOf& recovery_of,
                        const std::map<std::string, MeasureValue>& above) const;
  static void Collect(const Tree& tree, std::vector<MeasureTask*>* tasks);

  std::vector<Entry> entries_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_MEASURE_H_
