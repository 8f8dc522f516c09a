// The instances of one role: started together, grown and shrunk.
#ifndef TARGETS_PROCESS_ROLE_H_
#define TARGETS_PROCESS_ROLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/seams/instances.h"
#include "targets/process/instance.h"

namespace squall {

// Loop thread only. Options outlive it. Instances keep their place for the life of the role.
class Role : public InstancesSeam {
 public:
  Role(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec,
       std::shared_ptr<const RolePatterns> patterns, std::function<void()> on_change);

  absl::Status Open();  // makes the instances of the spec, with their ports
  // InvalidArgument names target, argument and reference. Also of a role that has no instance yet.
  absl::Status CheckReferences(const Instance::Variables& variables) const;
  void Start(const Instance::Variables& variables);
  absl::Status SetEventRules(std::vector<EventRule> rules);
  void PollOutputs();
  void EndAll(int64_t grace_ns);  // and none is started any more

  const TargetSpec& spec() const { return *spec_; }
  bool started() const { return started_; }
  bool AllReady() const;  // those of the spec
  bool AnyRunning() const;
  Instance* Named(const std::string& name) const;
  const std::vector<std::unique_ptr<Instance>>& instances() const { return instances_; }

  // InstancesSeam. StartMore: all or none (those started are drained at once when another cannot be).
  // FailedPrecondition: before Start, after EndAll, or fewer run than are to be drained.
  absl::StatusOr<std::vector<std::string>> StartMore(uint32_t count) override;
  absl::StatusOr<std::vector<std::string>> DrainSome(uint32_t count, int64_t over_ns, int64_t grace_ns) override;
  bool Ready(const std::string& instance) const override;
  bool Ended(const std::string& instance) const override;

 private:
  absl::StatusOr<Instance*> Add();
  absl::StatusOr<std::string> StartOne();  // its name

  const Fleet::Options* const options_;
  const std::shared_ptr<const TargetSpec> spec_;
  std::shared_ptr<const RolePatterns> patterns_;
  const std::function<void()> on_change_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Instance::Variables variables_;
  bool started_ = false;
  bool ending_ = false;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_ROLE_H_
