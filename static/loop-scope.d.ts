// Types of loop-scope.js, which defines the element <loop-scope>. The names are those of the embedding contract.
import type { ShareState } from "./engine.js";

/** The events of the element, without `loopscope-` before their names. */
export interface LoopScopeEvents {
  ready: { version: string; features: string[]; status: RunStatus };
  error: { code: string; message: string };
  resize: { height: number };
  change: { status: RunStatus };
  reconcile: { controller: string; key: string; requests: number; time: number };
  converged: { time: number; pods: PodCounts };
  drift: { time: number; pods: PodCounts; reason?: string | null };
  goal: { id: string; status: "open" | "reached" | "missed"; attempt: number; simTime: number };
  complete: { score: number; max: number; state: ShareState };
}

/** How many pods are wanted, and how many of them are ready. */
export interface PodCounts {
  desired: number;
  ready: number;
  [field: string]: unknown;
}

type NamedEvents = { [Name in keyof LoopScopeEvents as `loopscope-${Name}`]: CustomEvent<LoopScopeEvents[Name]> };

/** What a line of kubectl wrote. The exit code is null if time stands still before its end. */
export interface LineResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** How the run stands. */
export interface RunStatus {
  time: number;
  step: number;
  live: boolean;
  playing: boolean;
  standing: "converged" | "drifting" | "stuck";
  converged: boolean;
  reason?: string | null;
  pods: PodCounts;
  commands: number;
  [field: string]: unknown;
}

type Flag = boolean | "" | "true" | "false";

/** What attributes and properties take. `embed-contract.json` says what each means. */
export interface LoopScopeProperties {
  example?: string;
  manifest?: string;
  state?: string | ShareState;
  seed?: number | string;
  nodes?: number | string;
  at?: number | string;
  speed?: number | string;
  paused?: Flag;
  autoplay?: boolean | "0" | "1" | "true" | "false";
  lang?: string;
  panels?: string | readonly string[];
  controls?: "full" | "minimal" | "none";
  readonly?: Flag;
  layout?: "learn" | "operate" | "inspect";
  theme?: "auto" | "light" | "dark";
  motion?: "auto" | "less";
  reading?: "normal" | "brief" | "long";
  size?: "normal" | "large";
  goal?: number | string;
  persist?: "none" | "session" | "local";
  autoheight?: Flag;
  src?: string;
  height?: number | string;
  loading?: "lazy" | "click" | "eager";
  label?: string;
}

/** Listeners as React and Svelte write them: `onloopscope-ready={…}`. */
export type LoopScopeListeners = { [Name in keyof NamedEvents as `on${Name}`]?: (event: NamedEvents[Name]) => unknown };

/** Attributes, properties and listeners together, for the types of a framework. */
export type LoopScopeProps = LoopScopeProperties & LoopScopeListeners;

/** The element <loop-scope>: a playground in a frame of its own. Every method answers when the page has done what it asks for. */
export class LoopScope extends HTMLElement {
  /** Calls are carried out. */
  readonly ready: boolean;
  /** The address of the page as the attributes ask for it. */
  readonly address: string;
  example: string;
  manifest: string;
  controls: string;
  layout: string;
  theme: string;
  motion: string;
  reading: string;
  size: string;
  persist: string;
  src: string;
  loading: string;
  label: string;
  paused: boolean;
  readonly: boolean;
  autoheight: boolean;
  // What is read is the attribute's text, whatever was assigned.
  get state(): string;
  set state(value: string | ShareState | null | undefined);
  get seed(): string;
  set seed(value: number | string | null | undefined);
  get nodes(): string;
  set nodes(value: number | string | null | undefined);
  get at(): string;
  set at(value: number | string | null | undefined);
  get speed(): string;
  set speed(value: number | string | null | undefined);
  get panels(): string;
  set panels(value: string | readonly string[] | null | undefined);
  get autoplay(): string;
  set autoplay(value: boolean | string | null | undefined);
  get goal(): string;
  set goal(value: number | string | null | undefined);
  get height(): string;
  set height(value: number | string | null | undefined);
  /** Loads the page now, whatever the attribute `loading` says. */
  open(): unknown;
  /** Sends any request of the contract. */
  request(type: string, fields?: object): Promise<any>;
  load(options?: { manifest?: string; example?: string; seed?: number; nodes?: number; at?: number; paused?: boolean }): Promise<any>;
  apply(manifest: string): Promise<LineResult>;
  kubectl(line: string): Promise<LineResult>;
  step(count?: number, by?: "event" | "phase" | "back"): Promise<any>;
  run(options?: { speed?: number | string; until?: "converged"; within?: number }): Promise<any>;
  pause(): Promise<any>;
  seek(at: number): Promise<any>;
  fork(): Promise<RunStatus>;
  fault(fault: string, fields?: object): Promise<any>;
  check(): Promise<RunStatus>;
  getState(): Promise<ShareState>;
  setState(state: ShareState | string): Promise<any>;
  setTheme(theme: "auto" | "light" | "dark"): Promise<any>;
  focusPanel(panel: string): Promise<any>;
  addEventListener<Name extends keyof NamedEvents>(
    type: Name,
    listener: (this: LoopScope, event: NamedEvents[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "loop-scope": LoopScope;
  }
}
