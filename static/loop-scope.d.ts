// Types of loop-scope.js, which defines the element <loop-scope>. The names are those of the embedding contract.
import type { ShareState } from "./engine.js";

/** The events of the element, without `loopscope-` before their names. */
export interface LoopScopeEvents {
  ready: { version: string };
  error: { code: string; message: string };
  resize: { height: number };
  change: Record<string, unknown>;
  reconcile: Record<string, unknown>;
  converged: Record<string, unknown>;
  drift: Record<string, unknown>;
  goal: { id: string; status: "open" | "reached" | "missed"; attempt: number; simTime: number };
  complete: { score: number; max: number; state: ShareState };
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
  commands: number;
  [field: string]: unknown;
}

/** The element <loop-scope>: a playground in a frame of its own. Every method answers when the page has done what it asks for. */
export class LoopScope extends HTMLElement {
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
