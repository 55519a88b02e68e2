// Display names of the states of executions and approvals.

/** @type {Record<string, string>} */
const NAMES = {
  PENDING: "queued",
  RUNNING: "running",
  WAITING: "waiting",
  COMPLETED: "completed",
  FAILED: "failed",
  CANCELLED: "cancelled",
  TIMED_OUT: "timed out",
  APPROVED: "approved",
  DENIED: "denied",
  EXPIRED: "expired",
};

export const TERMINAL = new Set(["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]);
export const STATES = ["PENDING", "RUNNING", "WAITING", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"];
export const stateName = (state) => NAMES[state] ?? String(state).toLowerCase();
