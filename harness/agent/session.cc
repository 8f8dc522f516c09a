#include "harness/agent/session.h"

#include <deque>
#include <utility>

namespace squall {

using agent::v1::FromAgent;
using agent::v1::ToAgent;

namespace {
constexpr int64_t kRedialAfter = 200 * kMillisecond;
constexpr size_t kMaxOutbox = 10'000;  // messages; beyond it the session is of no use and is cut
}  // namespace

struct Session::State {
  Mutex mutex;
  CondVar changed;
  bool closing ABSL_GUARDED_BY(mutex) = false;
  bool broken ABSL_GUARDED_BY(mutex) = true;  // no stream, or a stream that has failed
  grpc::ClientContext* context ABSL_GUARDED_BY(mutex) = nullptr;
  std::deque<FromAgent> outbox ABSL_GUARDED_BY(mutex);

  void Push(FromAgent message) {
    MutexLock lock(&mutex);
    if (broken) return;
    outbox.push_back(std::move(message));
    if (outbox.size() > kMaxOutbox && context != nullptr) context->TryCancel();
    changed.Notify();
  }
};

Session::Session(EventLoop* loop, AgentCore* core, Address controller, std::function<void(const std::string&)> refused)
    : loop_(loop),
      core_(core),
      controller_(std::move(controller)),
      refused_(std::move(refused)),
      state_(std::make_shared<State>()),
      thread_([this] { DialForever(); }) {}

Session::~Session() {
  {
    MutexLock lock(&state_->mutex);
    state_->closing = true;
    if (state_->context != nullptr) state_->context->TryCancel();
    state_->changed.Notify();
  }
  thread_.join();
}

void Session::DialForever() {
  while (true) {
    RunOnce();
    MutexLock lock(&state_->mutex);
    if (!state_->closing) state_->changed.WaitFor(&state_->mutex, kRedialAfter);
    if (state_->closing) return;
  }
}

void Session::RunOnce() {
  const auto stub = agent::v1::AgentHub::NewStub(Dial(controller_));
  grpc::ClientContext context;
  Authenticate(controller_, &context);
  {
    MutexLock lock(&state_->mutex);
    if (state_->closing) return;
    state_->context = &context;
    state_->broken = false;
    state_->outbox.clear();
  }
  const auto stream = stub->Session(&context);
  // The registration is first in the outbox: the core puts it there on its own thread.
  loop_->Post([core = core_, state = state_] {
    FromAgent hello;
    *hello.mutable_register_() = core->Registration();
    state->Push(std::move(hello));
    core->SetSink([state](FromAgent message) { state->Push(std::move(message)); });
  });
  std::thread writer([this, &stream] { WriteLoop(stream.get()); });
  ToAgent message;
  while (stream->Read(&message)) {
    if (message.has_welcome() && !message.welcome().refused().empty()) {
      loop_->Post([refused = refused_, why = message.welcome().refused()] { refused(why); });
    }
    loop_->Post([core = core_, command = std::move(message)] { core->OnCommand(command); });
    message = ToAgent();
  }
  {
    MutexLock lock(&state_->mutex);
    state_->broken = true;
    state_->changed.Notify();
  }
  writer.join();
  {
    MutexLock lock(&state_->mutex);
    state_->context = nullptr;
  }
  loop_->Post([core = core_] { core->SetSink(nullptr); });
  stream->Finish();
}

void Session::WriteLoop(grpc::ClientReaderWriter<FromAgent, ToAgent>* stream) {
  while (true) {
    FromAgent next;
    {
      MutexLock lock(&state_->mutex);
      while (state_->outbox.empty() && !state_->broken) state_->changed.WaitFor(&state_->mutex, kSecond);
      if (state_->broken) return;
      next = std::move(state_->outbox.front());
      state_->outbox.pop_front();
    }
    if (!stream->Write(next)) return;
  }
}

}  // namespace squall
