// Types of loopscope-lms.js.

/** What all adapters take. */
export interface LmsOptions {
  /** The share of the goals from which on a learner has passed: 1 if left out. The masteryScore of a cmi5 launch goes before it. */
  passing?: number;
  /** Is told what the system refused; by default the console is. */
  onError?: (error: unknown) => void;
}

export interface ScormOptions extends LmsOptions {
  /** The API object; by default it is looked for in the window, its parents and its opener. */
  api?: object;
  /** Whether the state that an earlier visit left is opened again: true if left out. */
  restore?: boolean;
}

export interface XapiOptions extends LmsOptions {
  /** Address of the LRS. */
  endpoint: string;
  /** The value of the header `Authorization`. */
  auth?: string;
  /** The learner, as xAPI writes one. */
  actor: object;
  activity: { id: string; name?: Record<string, string> };
  registration?: string;
}

/** A connection to a learning management system. */
export interface LmsConnection {
  readonly kind: "scorm12" | "cmi5" | "xapi";
  /** Ends the session. It ends by itself when the page is left. */
  close(): Promise<void>;
  /** Resolves when everything so far has been told. */
  settled(): Promise<void>;
}

/** Connects to whatever launched this page, cmi5 or SCORM 1.2; null if it was nobody. */
export function connect(element: EventTarget, options?: LmsOptions): Promise<LmsConnection | null>;
/** Connects to the SCORM 1.2 API of the window, its parents or its opener. */
export function connectScorm(element: EventTarget, options?: ScormOptions): Promise<LmsConnection>;
/** Connects to the LRS that launched this page as an assignable unit of cmi5. */
export function connectCmi5(element: EventTarget, options?: LmsOptions): Promise<LmsConnection>;
/** Sends statements to an LRS. */
export function connectXapi(element: EventTarget, options: XapiOptions): Promise<LmsConnection>;
