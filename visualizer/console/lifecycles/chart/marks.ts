/** What a view adds to a drawing: class names by state and by transition, and a word on the arrows of transitions. */
export interface Marks {
  readonly states: ReadonlyMap<string, string>;
  readonly transitions: ReadonlyMap<string, string>;
  readonly notes: ReadonlyMap<string, string>;
}

export const noMarks: Marks = { states: new Map(), transitions: new Map(), notes: new Map() };
