// Types of loop-scope.js, which defines the element <loop-scope>. The names are those of the embedding contract.
import type { CommandResult, Duration, Fault, Grade, Lesson, ShareState } from "./engine.js";

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

/** A playground in a frame of its own. Every method answers when the page has done what it asks for. */
export interface LoopScopeElement extends HTMLElement {
  load(state: ShareState | string): Promise<unknown>;
  apply(manifest: string): Promise<unknown>;
  kubectl(command: string): Promise<CommandResult | unknown>;
  step(...values: unknown[]): Promise<unknown>;
  run(...values: unknown[]): Promise<unknown>;
  pause(): Promise<unknown>;
  seek(at: Duration): Promise<unknown>;
  fork(): Promise<unknown>;
  fault(fault: Fault): Promise<unknown>;
  check(lesson?: Lesson): Promise<Grade | unknown>;
  getState(): Promise<ShareState>;
  setState(state: ShareState | string): Promise<unknown>;
  setTheme(theme: "auto" | "light" | "dark"): Promise<unknown>;
  addEventListener<Name extends keyof NamedEvents>(
    type: Name,
    listener: (this: LoopScopeElement, event: NamedEvents[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "loop-scope": LoopScopeElement;
  }
}
