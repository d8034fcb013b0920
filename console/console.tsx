import { render } from 'preact';
import { addressOf } from './host/route.ts';
import { followAddress } from './host/session.ts';
import { keepFromDrops } from './parts/drop-file.tsx';
import { Shell } from './shell.tsx';
import { askBeforeStop } from './sources/uploads.ts';
import { askBeforeLoss } from './study/caption-draft.ts';

followAddress();
keepFromDrops(window, () => {
  location.hash = addressOf({ view: 'sources' });
});
for (const ask of [askBeforeLoss, askBeforeStop]) addEventListener('beforeunload', ask);
const place = document.getElementById('console');
if (place !== null) render(<Shell />, place);
