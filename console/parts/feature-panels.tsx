import type { ComponentType } from 'preact';
import { pageFeatures } from '../../features/page.ts';
import type { PanelPlaces } from '../host/page-feature.ts';

/** The panels of all features in a place of the page. */
export function FeaturePanels<Place extends keyof PanelPlaces>({
  place,
  given,
}: {
  readonly place: Place;
  readonly given: PanelPlaces[Place];
}) {
  return pageFeatures.map(({ name, panels }) => {
    const Panel: ComponentType<PanelPlaces[Place]> | undefined = panels?.[place];
    return Panel === undefined ? null : <Panel key={name} {...given} />;
  });
}
