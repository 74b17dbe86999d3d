// Types of engine.js.

/** A time: a number of seconds, or a text as "500ms", "90s" or "1m30s". */
export type Duration = number | string;

/** An object of the Kubernetes API. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  // Fields differ from kind to kind.
  [field: string]: any;
}

/** The inputs of a run. It is opaque, but for its version: hand it on as it is. */
export interface ShareState {
  v: 1;
  [field: string]: unknown;
}

/** Codes of {@link LoopscopeError}. */
export type ErrorCode =
  | "bad-input"
  | "bad-state"
  | "bad-lesson"
  | "unknown-kind"
  | "unknown-method"
  | "too-long"
  | "freed"
  | "internal"
  | "not-loaded";

/** Thrown by every function here: a code for programs and a sentence for people. */
export class LoopscopeError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

/** What a cluster is made of. */
export interface ClusterOptions {
  /** The same seed gives the same run. 1 if left out. */
  seed?: number;
  /** The number of nodes, or their size. */
  nodes?: number | { count?: number; cpu?: string; memory?: string; pods?: number; labels?: string[]; taints?: string[] };
  /** Settings as in the field `cluster` of a share state. */
  cluster?: Record<string, unknown>;
  /** A share state to begin with, instead of the options above: the object, its text, or a link. */
  state?: ShareState | string;
}

/** What a command wrote, and how it ended. */
export interface CommandResult {
  /** 0 if all went well; 130 if it was interrupted because it took too long. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** When it ended, in seconds of the run. */
  at: number;
}

export interface CommandOptions {
  /** The namespace of the current context: `default` if left out. */
  namespace?: string;
  /** The virtual time after which it is interrupted; 60 seconds if left out. */
  timeout?: Duration;
}

/** A request as any client of the Kubernetes API makes it. */
export interface ApiRequest {
  /** `GET`, `POST`, `PUT`, `PATCH` or `DELETE`, or the API's own word for it. GET if left out. */
  verb?: string;
  /** As `/apis/apps/v1/namespaces/default/deployments/web`. */
  path: string;
  query?: Record<string, string | number | boolean>;
  /** An object, or YAML. */
  body?: unknown;
  /** For a patch: `application/merge-patch+json` … Left out, an array is a JSON patch and an object a strategic merge patch. */
  contentType?: string;
  accept?: string;
  /** The virtual time after which the answer is no longer waited for; 60 seconds if left out. */
  timeout?: Duration;
}

/** The API server's answer. A refusal is an answer too: its body is a Status. */
export interface ApiResponse {
  /** The HTTP status code; 0 if no answer came in time. */
  code: number;
  body: any;
  warnings: string[];
  /** When the answer came, in seconds of the run. */
  at: number;
}

/** How the cluster stands at the moment looked at. */
export interface Status {
  /** Seconds since the run began. */
  time: number;
  /** The cluster's own clock, as RFC 3339. */
  now: string;
  /** The number of events so far. */
  step: number;
  /** A hash over all of them: equal runs have equal hashes, here, in the page and natively. */
  hash: string;
  resourceVersion: string;
  /** False while a moment of the past is looked at. */
  live: boolean;
  standing: "converged" | "drifting" | "stuck";
  converged: boolean;
  /** Why it is stuck. */
  reason: string | null;
  pods: { desired: number; ready: number };
  reconciles: number;
  requests: number;
  writes: number;
}

/** One event of the run. */
export interface StepRecord {
  number: number;
  /** The number of the event that caused it; 0 for a command. */
  cause: number;
  at: number;
  text: string;
}

export interface ListOptions {
  /** All namespaces if left out. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubernetesObject;
  /** When it happened, in seconds of the run. */
  at: number;
}

export interface History {
  time: number;
  step: number;
  end: { time: number; step: number };
  commands: { at: number; step: number; text: string; breaks: boolean }[];
  forks: number;
}

export type ProcessName = "scheduler" | { "controller-manager": number } | { kubelet: string };

/** Something that breaks or mends a part of the cluster. */
export type Fault =
  | { fault: "kill-pod"; namespace: string; pod: string }
  | { fault: "kill-container"; namespace: string; pod: string; container: string; exitCode: number }
  | { fault: "crash-node" | "restart-node" | "freeze-node" | "thaw-node" | "add-node"; node: string }
  | { fault: "partition" | "heal" | "crash-process" | "restart-process" | "drop-watch-event"; process: ProcessName }
  | { fault: "crash-before-action"; process: ProcessName; after: number }
  | { fault: "slow-link"; process: ProcessName; extraMs: number }
  | { fault: "fail-calls"; count: number; process: ProcessName | null; afterWrite: boolean }
  | { fault: "registry"; up: boolean }
  | { fault: "probe-file"; namespace: string; pod: string; path: string; there: boolean }
  | { fault: "images"; node: string; images: string[] }
  | { fault: string; [field: string]: unknown };

/** What a learner is to reach: "converged", "converged within 60s", or several goals under a name. */
export type Lesson = string | GoalDefinition | { id?: string; goals: (string | GoalDefinition)[] };

export interface GoalDefinition {
  id?: string;
  /** The time of the run by which desired and actual must agree; any time if left out. */
  within?: Duration;
}

export interface GoalResult {
  id: string;
  status: "open" | "reached" | "missed";
  /** When it was reached, in seconds of the run. */
  simTime?: number;
  text: string;
}

export interface Grade {
  lesson: string;
  passed: boolean;
  score: number;
  max: number;
  goals: GoalResult[];
  /** The moment that was judged, in seconds of the run. */
  simTime: number;
  /** The hash of the run at that moment. */
  hash: string;
}

/**
 * A cluster with its past. Time is virtual and passes only in the methods that say so; the same calls give the same run.
 * What goes wrong is thrown as a {@link LoopscopeError}; what the API server or kubectl refuses is an answer.
 */
export class Cluster {
  private constructor();
  /** Makes a cluster, and loads the engine before the first one. */
  static create(options?: ClusterOptions): Promise<Cluster>;
  /** Runs `kubectl apply -f -` with a manifest, an object or several objects. */
  apply(manifest: string | object | object[], options?: CommandOptions): CommandResult;
  /** Runs kubectl: a line (with or without the word kubectl), or its words. What only reads takes no time. */
  kubectl(command: string | string[], options?: CommandOptions & { stdin?: string }): CommandResult;
  /** Asks the API server. What only reads takes no time. */
  request(request: ApiRequest): ApiResponse;
  /** Breaks or mends something. */
  fault(fault: Fault): Status;
  /** Does the next events, one if no number is given, and returns the last of them. */
  step(count?: number): StepRecord | null;
  /** Lets time pass. */
  run(time: Duration): Status;
  /** Lets time pass up to a moment of the run, or until a function says so, which is asked after every change. Returns whether it was reached. */
  runUntil(goal: Duration | ((cluster: Cluster) => unknown), options?: { within?: Duration }): boolean;
  /** Lets time pass until desired and actual agree, at most ten minutes if no time is given. */
  runUntilConverged(options?: { within?: Duration }): Status;
  /** Returns an object, or null. Kinds are named as for kubectl: `pod`, `deploy`, `replicasets.apps`. */
  get(kind: string, name: string, namespace?: string): KubernetesObject | null;
  /** Returns the objects of a kind. */
  list(kind: string, options?: ListOptions): KubernetesObject[];
  /** Calls a function with every object there is and then with every change, while time passes. Returns a function that ends it. */
  watch(kind: string, callback: (event: WatchEvent) => void): () => void;
  watch(kind: string, options: ListOptions, callback: (event: WatchEvent) => void): () => void;
  status(): Status;
  /** Seconds since the run began. */
  readonly time: number;
  readonly hash: string;
  readonly converged: boolean;
  /** What was done in the run. */
  history(): History;
  /** Looks at a moment: a time of the run, `{ step }`, or "live" for the newest. Acting in the past replaces what came later. */
  seek(moment: Duration | { at: Duration } | { step: number } | "live"): Status;
  /** Returns a cluster of its own with the same past. */
  fork(): Cluster;
  /** Returns the inputs of the run up to the moment looked at. The page opens them, and so does {@link Cluster.load}. */
  share(): ShareState;
  /** Returns the same as the end of a link to the page: `#s=…`. */
  shareHash(): string;
  /** Replays a share state: the object, its text, or a link. */
  load(state: ShareState | string): Status;
  /** Judges the goals of a lesson at the moment looked at; without one, the lesson that the loaded state names. */
  check(lesson?: Lesson): Grade;
  /** Frees its memory. Every later call throws. */
  free(): void;
}

/** Replays a learner's share state and judges the goals of a lesson, as the page does. Without a lesson, the one that the state names. */
export function grade(state: ShareState | string, lesson?: Lesson): Promise<Grade>;

/** Loads the engine's wasm ahead of the first cluster, or from another place. */
export function init(options?: { wasm?: string | URL | BufferSource | WebAssembly.Module }): Promise<void>;
