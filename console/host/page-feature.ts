import type { ComponentType } from 'preact';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';

/** A part of a text that is selected: where it begins, in code points. */
export interface Selected {
  readonly side: 'source' | 'target';
  readonly start: number;
  readonly text: string;
}

/** The places of the page that take panels, with what a panel gets there. */
export interface PanelPlaces {
  /** Below the texts of a line of captions. */
  readonly captionLine: {
    readonly overview: RuntimeOverview;
    readonly lineId: string;
    /** Null while nothing is selected, and in a text that is not as the host has it. */
    readonly marked: Selected | null;
  };
  /** Below the plan of captions that nobody approved yet. */
  readonly plan: { readonly overview: RuntimeOverview; readonly plan: CaptionPlan };
  /** Below the captions of a study. */
  readonly captions: { readonly overview: RuntimeOverview };
  /** Above the settings, under Operations. */
  readonly operations: Readonly<Record<never, never>>;
  /** Below the four steps of a new host. */
  readonly firstSteps: Readonly<Record<never, never>>;
}

/** A view of a feature, with all addresses that begin with its path. */
export interface FeatureView {
  /** The first part of its addresses: `lifecycles` for `#/lifecycles/host`. */
  readonly path: string;
  /** The view of the core that links to it, and in whose place of the menu it is. */
  readonly within: 'operations';
  readonly name: string;
  /** One sentence beside the link. */
  readonly text: string;
  /** The words of the title of a tab for an address, before the names of the view and of its place. */
  readonly titleOf: (address: string) => readonly string[];
  /** Loads the scripts of the view: with its first opening, and not with the page. */
  readonly load: () => Promise<{ readonly View: ComponentType<{ readonly address: string }> }>;
}

/** The parts of the page that a feature adds. */
export interface PageFeature {
  /** The name of its folder. */
  readonly name: string;
  readonly view?: FeatureView;
  readonly panels?: { readonly [Place in keyof PanelPlaces]?: ComponentType<PanelPlaces[Place]> };
}
