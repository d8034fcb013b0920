import type { ChartState } from '../chart/chart.ts';
import type { Line } from './line.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where something lies, in px from the upper left corner of the outermost box. */
export interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

export interface TextArea extends Area {
  readonly lines: readonly Line[];
}

export interface StateBox extends TextArea {
  readonly id: string;
  readonly kind: ChartState['kind'];
  /** The number of boxes around it. */
  readonly depth: number;
  readonly region: boolean;
  readonly onMainWay: boolean;
}

/** One or more transitions with the same ends; without any it leads from a starting dot to the initial state. */
export interface Arrow {
  readonly transitions: readonly string[];
  readonly points: readonly Point[];
  readonly label: TextArea | null;
  readonly onMainWay: boolean;
}

export interface Drawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Outer boxes before those inside them. */
  readonly boxes: readonly StateBox[];
  readonly dots: readonly Area[];
  /** Where arrows start that stand for a state as a whole and lead into it. */
  readonly signs: readonly TextArea[];
  readonly arrows: readonly Arrow[];
}
