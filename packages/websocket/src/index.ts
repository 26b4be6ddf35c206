export type { WebSocketOptions } from './options.js';
export { type BroadcastAdapter, createRooms, Rooms, type RoomsOptions } from './rooms.js';
export type { CloseReason, WebSocketConnection } from './web-socket-connection.js';
export { type WebSocketHandler, websocket, websocketUpgrade } from './websocket.js';
