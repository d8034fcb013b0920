import { explanations } from './explanations/feature.ts';
import type { Feature } from './feature.ts';
import { lifecyclesFeature } from './lifecycles/feature.ts';
import { screenText } from './screen-text/feature.ts';

/** Every optional capability of this program. Their order is that of their options, of their engines and of their opening. */
export const features: readonly Feature[] = [explanations, screenText, lifecyclesFeature];
