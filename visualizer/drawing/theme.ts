import type { TextRole } from '../../contract/lifecycles/charts.ts';

/** The colors of one drawing. */
export interface Theme {
  readonly page: string;
  /** States that hold others, the outermost first; deeper ones take the last color. */
  readonly levels: readonly string[];
  /** States that hold none. */
  readonly alone: string;
  readonly border: string;
  readonly arrow: string;
  readonly mainWay: string;
  readonly label: string;
  readonly dot: string;
  readonly text: Readonly<Record<TextRole, string>>;
  /** The colors of changes between two versions of a chart. A state keeps its own ground if `ground` is null. */
  readonly changes: Readonly<
    Record<'added' | 'removed' | 'changed', { readonly line: string; readonly ground: string | null }>
  >;
}

/** Boxes that lie deeper than this look alike. */
export const deepestLevel = 3;

const light: Theme = {
  page: '#ffffff',
  levels: ['#f7f8fa', '#eef1f5', '#e4e9ef', '#dae1e9'],
  alone: '#ffffff',
  border: '#8a94a3',
  arrow: '#8a94a3',
  mainWay: '#1a6fd4',
  label: '#ffffff',
  dot: '#1c2530',
  text: {
    title: '#1c2530',
    name: '#1c2530',
    event: '#2f3946',
    guard: '#9a4d00',
    action: '#5d6877',
    keyword: '#5d6877',
    effect: '#6b3fa0',
    note: '#5d6877',
  },
  changes: {
    added: { line: '#1c6b3c', ground: '#e3f4e9' },
    removed: { line: '#b3261e', ground: '#fdeceb' },
    changed: { line: '#7a4b00', ground: null },
  },
};

const dark: Theme = {
  page: '#0f141a',
  levels: ['#141a21', '#1b232d', '#232d39', '#2b3744'],
  alone: '#0f141a',
  border: '#66727f',
  arrow: '#7c8896',
  mainWay: '#5aa9ff',
  label: '#0f141a',
  dot: '#f0f3f6',
  text: {
    title: '#f0f3f6',
    name: '#f0f3f6',
    event: '#d3dae2',
    guard: '#f0b072',
    action: '#9ba7b4',
    keyword: '#9ba7b4',
    effect: '#c9a6ff',
    note: '#9ba7b4',
  },
  changes: {
    added: { line: '#6fcf97', ground: '#16321f' },
    removed: { line: '#ff8f85', ground: '#40201d' },
    changed: { line: '#f0b858', ground: null },
  },
};

/** Each machine is drawn once in every theme. */
export const themes = { light, dark } as const;

// All distances in px.

/** Between the border of a state and its text. */
export const boxPadding = { side: 14, top: 9, bottom: 11 };

/** Between the border of a label and its text. */
export const labelPadding = { side: 7, top: 3 };

/** Between the border of a state and the states inside it. */
export const insideGap = 16;

/** Around the outermost state. */
export const pageMargin = 12;

export const dotSize = 12;

/** Between the heads of arrows that end at the same state. */
export const arrowGap = 20;
