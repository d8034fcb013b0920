import { hostileRequests } from './hostile/hostile-requests-contract.ts';

hostileRequests('uws', 500);
