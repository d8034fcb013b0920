import type { PageFeature } from '../../../console/host/page-feature.ts';
import { ExplanationList, SelectionExplainer } from './explainer.tsx';

/** Explanations beside the selected line, and all of them below the captions. */
export const explanationsPage: PageFeature = {
  name: 'explanations',
  panels: { captionLine: SelectionExplainer, captions: ExplanationList },
};
