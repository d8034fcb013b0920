import { render } from 'preact';
import { addressOf } from './host/route.ts';
import { followAddress } from './host/session.ts';
import { keepFromDrops } from './parts/drop-file.tsx';
import { Shell } from './shell.tsx';

followAddress();
keepFromDrops(window, () => {
  location.hash = addressOf({ view: 'sources' });
});
const place = document.getElementById('console');
if (place !== null) render(<Shell />, place);
