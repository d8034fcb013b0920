import type { FeatureView, PageFeature } from '../console/host/page-feature.ts';
import { enginesPage } from './engines/console/page.ts';
import { explanationsPage } from './explanations/console/page.ts';
import { lifecyclesPage } from './lifecycles/console/page.ts';
import { subtitleSyncPage } from './subtitle-sync/console/page.tsx';

/** The parts of the page that features add. Their order is that of their panels. Their styles are in `page.css`. */
export const pageFeatures: readonly PageFeature[] = [enginesPage, explanationsPage, lifecyclesPage, subtitleSyncPage];

/** Their views. */
export const featureViews: readonly FeatureView[] = pageFeatures.flatMap(({ view }) => view ?? []);
