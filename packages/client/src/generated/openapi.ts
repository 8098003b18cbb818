/* Generated from docs/openapi.json: pnpm --filter @tally/client generate */

export interface paths {
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * this API reference, as OpenAPI 3.1
         * @description `/docs` shows it as a page. Both need no key, because they contain no data.
         */
        readonly get: operations["getOpenapiJson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the process is alive
         * @description `/health/ready` and `/metrics` are on the operator ports: gateway 8083, writer 8081, ranker 8082.
         */
        readonly get: operations["getHealthLive"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/events/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * whether an event is stored, and counted in the rankings
         * @description `parked`: it waits for another event, such as a refund for its purchase. `rejected`: it is a dead letter. Both have a `reason`, unless the API key is limited to stores. An id that no gateway returned, or of a domain without a scope of the key, is `pending`.
         */
        readonly get: operations["getEventsId"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchase/{storeID}/customer/{custID}/date/{date}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * one purchase
         * @description Its event id is in `Tally-Event-Id`. All items have a `unitPrice`, or none; prices need a currency of the store, or `CURRENCY`. A `discountAmount` is for all units of its item. `date` is tomorrow in the time zone of the store at the latest.
         */
        readonly post: operations["postPurchaseStoreIDCustomerCustIDDateDate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * rows, page by page, 10 by default
         * @description Send `nextCursor` as `cursor` to get the next page. A `date` needs a `storeID` or a `customer`.
         */
        readonly get: operations["getPurchases"];
        readonly put?: never;
        /**
         * many purchases
         * @description As a JSON array or as lines of JSON (`application/x-ndjson`). The status is that of all entries when they agree, else 207. An entry without `idempotencyKey` is the same event when the request comes again with the same `Idempotency-Key` and the same API key.
         */
        readonly post: operations["postPurchases"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchases/{eventID}/void": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * takes back a whole purchase
         * @description In its store and on its day. However often it is sent, it is one event. Before its purchase it waits for 7 days. A purchase with refunds cannot be void: the void becomes a dead letter. 400 for another `storeID` than that of the stored purchase. However it is sent again, its first `reason` stays. 404 for a key that is limited to stores until the purchase is stored.
         */
        readonly post: operations["postPurchasesEventIDVoid"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchases/{eventID}/refunds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * takes back some items of a purchase
         * @description In the store and on the day of the refund. `line`: the place of the item in the purchase, from 0. Without an `amount`: its share of the price of the line. Before its purchase it waits for 7 days. More than was sold, another item, or a void purchase: the refund becomes a dead letter.
         */
        readonly post: operations["postPurchasesEventIDRefunds"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/voids": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * many voids
         * @description Each names its purchase by `eventID`, or by the store and the idempotency key that it was sent with.
         */
        readonly post: operations["postVoids"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/refunds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * many refunds
         * @description Each names its purchase by `eventID`, or by the store and the idempotency key that it was sent with. Each has an `idempotencyKey`, unless the request has an `Idempotency-Key`.
         */
        readonly post: operations["postRefunds"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/store/{storeID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the 10 items that sold most in a store
         * @description `stores` is the key of the published specification.
         */
        readonly get: operations["getItemsStoreStoreID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/top5/{itemID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the 5 stores that sold most of an item */
        readonly get: operations["getItemsTop5ItemID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/top10/{itemID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the 10 stores that sold most of an item */
        readonly get: operations["getItemsTop10ItemID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stores/{storeID}/top-items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the items that sold most in a store, 10 by default, and the age of the ranking
         * @description Of all time, of a `date` (yyyymmdd, `today` or `yesterday`), or of all days from `from` to `to`, at most 366. `by` quantity (default: sold less taken back), `grossSales` or `netSales`, which are decimal texts in `currency`. Refunds count on their own day, so a day may have negative counts. Today is the store's.
         */
        readonly get: operations["getStoresStoreIDTopItems"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/{itemID}/top-stores": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the stores that sold most of an item, 10 by default, and the age of the ranking
         * @description Of all time, of a `date` (yyyymmdd, `today` or `yesterday`), or of all days from `from` to `to`, at most 366. `by` quantity (default: sold less taken back), `grossSales` or `netSales`, which are decimal texts in `currency`. Refunds count on their own day, so a day may have negative counts. Today is that of most registered stores.
         */
        readonly get: operations["getItemsItemIDTopStores"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stores/{storeID}/items/{itemID}/rank": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the rank of an item in a store, between the items around it: 2 on each side, or as `around` says
         * @description Of all time, of a `date` (yyyymmdd, `today` or `yesterday`), or of all days from `from` to `to`, at most 366. `by` quantity (default: sold less taken back), `grossSales` or `netSales`, which are decimal texts in `currency`. Refunds count on their own day, so a day may have negative counts. `rank` is null without a count.
         */
        readonly get: operations["getStoresStoreIDItemsItemIDRank"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chain/top-items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * all stores: the items that sold most, 10 by default, and the age of the ranking
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more.
         */
        readonly get: operations["getChainTopItems"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/regions/{region}/top-items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the stores of a region: the items that sold most, 10 by default, and the age of the ranking
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more.
         */
        readonly get: operations["getRegionsRegionTopItems"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chain/top-stores": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * all stores: those that sold most, 10 by default, what all of them sold, and the age of the ranking
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more.
         */
        readonly get: operations["getChainTopStores"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/regions/{region}/top-stores": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the stores of a region: those that sold most, 10 by default, what all of them sold, and the age of the ranking
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more.
         */
        readonly get: operations["getRegionsRegionTopStores"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/{itemID}/top-regions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * how much of an item the stores of each region sold, the first 10 by default, and the age of the ranking
         * @description Of all time, of a `date`, or of all days from `from` to `to`. Of the region that each store has on the last day, of all time today. Stores without one are left out.
         */
        readonly get: operations["getItemsItemIDTopRegions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chain/top-categories": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * all stores: how much the items of each category sold
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more. Categories of a region are always added up. Items count in the category that they have on the last day, of all time today; those without one are left out. A watch repeats it every 15 s.
         */
        readonly get: operations["getChainTopCategories"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/regions/{region}/top-categories": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the stores of a region: how much the items of each category sold
         * @description Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more. Categories of a region are always added up. Items count in the category that they have on the last day, of all time today; those without one are left out. A watch repeats it every 15 s.
         */
        readonly get: operations["getRegionsRegionTopCategories"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchases/latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the purchases and the refunds of a store that were stored last, 20 of each by default
         * @description Searches the 5,000 purchases with the newest dates. `isComplete` false: the store has more, and a purchase that arrived later may be missing. Without `arrivedAt`: it arrived long ago, at least a day unless months were removed since; these come last. Ends at 10,000 items.
         */
        readonly get: operations["getPurchasesLatest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/purchases/{eventID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * a purchase, its voids and refunds as they arrived, and how many units of each item can still be refunded
         * @description 404 for one that is not stored, or whose month was removed.
         */
        readonly get: operations["getPurchasesEventID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stores/{storeID}/sales": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * what a store sold on a business day, today by default, and in each of its local hours
         * @description Counted from the rows. A sale is in the hour of its `soldAt`, else of its arrival; a time outside of the day counts in the hour next to it. `hour` and its `offset` from UTC are local; null, last: sales without `soldAt`, sent with a key and stored long ago, whose hour is not known. A void takes back its sale in the hour of the sale, a refund counts in `quantity` and `returns` of the hour in which it was stored. `grossSales` less `discounts` and `returns` is `netSales`. `receipts`: the sales that are not void. 404 for a day whose month was removed.
         */
        readonly get: operations["getStoresStoreIDSales"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chain/sales": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * what all stores have sold on a business day, today by default, beside a week before
         * @description `hours` are of the time of counting, `hour` and `offset` in `zone`, that of most registered stores, and add up to the total; `weekAgo` is what was counted until the same time a week ago. Today is the business day of most registered stores. `alerts` are those of `alertsAsOf`, usually in the last minute, at most 200 of each rule, of a silent store with `lastSaleAt` and the `usual` units; of other days there are none. A day that is no longer live stays as it was counted last. `grossSales`, `discounts`, `returns` and `netSales` need their measures in `BY`. `receipts`, the sales that are not void, and `returns` (and so `discounts`) are those of the last minute, above 500,000 a day of the last quarter of an hour. 404 for a day of which nothing was counted: one longer than 9 days ago, and all without days in `WINDOWS`.
         */
        readonly get: operations["getChainSales"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/alert-rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the rules of the alerts in `GET /chain/sales`
         * @description `silent`: a store sold nothing for `minutes`, and at least `minimum` units in the same time a week ago, its last quarter of an hour not counted. `dates`: sales of a store in the last `minutes` are not of its business day. `returns`: of what a store sold today, more than the share `above`, and at least `minimum` units, was returned. `surge`: in the last `minutes`, one of today's 100 best items sold at least `minimum` units, and more than `above` times as many as in the same time a week ago.
         */
        readonly get: operations["getAlertRules"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stores": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the registered stores by their ids, 100 by default
         * @description Send the last `storeID` as `after` to get the next ones. `search`: a part of the name, in any case.
         */
        readonly get: operations["getStores"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stores/{storeID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** a registered store */
        readonly get: operations["getStoresStoreID"];
        /**
         * registers a store: its time zone, until which hour after midnight its business day goes on, its name, its region and its currency
         * @description `closingHour` is 0 to 6, by default 0. `today`, `yesterday` and the hours of sales follow it, also of earlier days; the date of a sale stays what its till said. `region` is valid for the business days from `validFrom` on, until the day of a later region. Without `validFrom` it is valid from the store's today on, and the first region of a store for all days. All stores have one `currency`, that of `CURRENCY` if it is set, because rankings add up their money; it is fixed once the store has sold with prices. A `name`, `region` or `currency` that is left out stays as it was. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`. All gateways know the clock at once, and names within seconds.
         */
        readonly put: operations["putStoresStoreID"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the registered items by their ids, 100 by default
         * @description Send the last `itemID` as `after` to get the next ones. `search`: a part of the name, in any case.
         */
        readonly get: operations["getItems"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/items/{itemID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** a registered item */
        readonly get: operations["getItemsItemID"];
        /**
         * registers an item: its name and its category
         * @description `category` is valid for the business days from `validFrom` on, until the day of a later category. Without `validFrom` it is valid from today in UTC on, and the first category of an item for all days. Left out, it stays as it was. Rankings show the name within seconds. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`.
         */
        readonly put: operations["putItemsItemID"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/alert-rules/{rule}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * changes a rule of the alerts, or turns it off
         * @description What is left out is as by default. It applies within a minute, `returns` within a quarter of an hour. Needs the scope `operate`, and `OPERATOR_DATABASE_URL`.
         */
        readonly put: operations["putAlertRulesRule"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/albums": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * a new album
         * @description Parts `image` (PNG, JPEG, GIF or WebP, by default up to 10 MiB) and `profile` (`{"artist","title","year"}` as JSON, or the text of a generated client). Both fields of the response are texts.
         */
        readonly post: operations["postAlbums"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/review/{opinion}/{albumID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * a review of an album
         * @description `like` or `dislike`; 404 for an unknown album.
         */
        readonly post: operations["postReviewOpinionAlbumID"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/albums/{albumID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the profile of an album
         * @description All values are texts.
         */
        readonly get: operations["getAlbumsAlbumID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/albums/{albumID}/image": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the picture of an album, with the type that its bytes show */
        readonly get: operations["getAlbumsAlbumIDImage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/review/{albumID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the number of reviews of an album */
        readonly get: operations["getReviewAlbumID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/albums/top": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the albums with most `likes` (default) or `dislikes`, 10 by default */
        readonly get: operations["getAlbumsTop"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/skiers/liftrides": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * one ride of season 0
         * @description Without `skierID` it is a ride of an unknown skier, which counts in no vertical and no ranking; each request is a new ride unless it repeats an `Idempotency-Key`.
         */
        readonly post: operations["postSkiersLiftrides"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/skiers/{resortID}/seasons/{seasonID}/days/{dayID}/skiers/{skierID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the vertical of a skier on a day */
        readonly get: operations["getSkiersResortIDSeasonsSeasonIDDaysDayIDSkiersSkierID"];
        readonly put?: never;
        /** one ride */
        readonly post: operations["postSkiersResortIDSeasonsSeasonIDDaysDayIDSkiersSkierID"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/skiers/{resortID}/days/{dayID}/skiers/{skierID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the vertical of a skier on a day of season 0 */
        readonly get: operations["getSkiersResortIDDaysDayIDSkiersSkierID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/skiers/{skierID}/vertical": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the vertical of a skier on all days of all seasons, or of one */
        readonly get: operations["getSkiersSkierIDVertical"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/resort/day/top10vert": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the 10 skiers with most vertical on a day of season 0, or of another season */
        readonly get: operations["getResortDayTop10vert"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/steps/{userID}/{day}/{timeInterval}/{stepCount}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * steps of one hour
         * @description Several posts for an hour add up.
         */
        readonly post: operations["postStepsUserIDDayTimeIntervalStepCount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/steps/current/{userID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the sum of the most recent day of a user; 0 if there is none */
        readonly get: operations["getStepsCurrentUserID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/steps/single/{userID}/{day}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the sum of a day */
        readonly get: operations["getStepsSingleUserIDDay"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/steps/range/{userID}/{startDay}/{numDays}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the sums of days in a row; 0 for a day without steps */
        readonly get: operations["getStepsRangeUserIDStartDayNumDays"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/steps/top": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the users with most steps on a day, 10 by default */
        readonly get: operations["getStepsTop"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/swipe/{leftorright}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** `right`: a user likes another; `left`: dislikes */
        readonly post: operations["postSwipeLeftorright"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/matches/{userID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the users whom a user likes, at most 100, the smallest ids first
         * @description With `mutual=true` only those who like the user too.
         */
        readonly get: operations["getMatchesUserID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stats/{userID}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** how many users a user likes and dislikes */
        readonly get: operations["getStatsUserID"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/swipes/top": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the most liked users, 10 by default */
        readonly get: operations["getSwipesTop"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the status of the system: servers, queues, processes, errors */
        readonly get: operations["getStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/views": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** the boards that the page shows, each a GET route with parameters in braces */
        readonly get: operations["getViews"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dead-letters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the newest dead letters, 100 by default
         * @description Needs the scope `read` of the domain, without one of all.
         */
        readonly get: operations["getDeadLetters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dead-letters/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * a dead letter
         * @description Its event, or the first 16 KiB of its message in base64. Needs the scope `read` of its domain.
         */
        readonly get: operations["getDeadLettersId"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dead-letters/{id}/discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * keeps a dead letter as it is
         * @description Needs the scope `operate` of its domain, and `OPERATOR_DATABASE_URL`. May be repeated.
         */
        readonly post: operations["postDeadLettersIdDiscard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dead-letters/{id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * publishes a dead letter again
         * @description Needs the scope `operate` of its domain, and `OPERATOR_DATABASE_URL`. May be repeated.
         */
        readonly post: operations["postDeadLettersIdReplay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * the responses of up to 8 GETs, whenever one changes, as server-sent events
         * @description The key needs the rights of each path.
         */
        readonly get: operations["getLive"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Error: {
            /** @description the field, what was expected, and what the gateway received */
            readonly message: string;
        };
        readonly ErrorOfAlbums: {
            /** @description the field, what was expected, and what the gateway received */
            readonly msg: string;
        };
    };
    responses: {
        /** @description Bad Request */
        readonly BadRequest: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Request Timeout */
        readonly RequestTimeout: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Expectation Failed */
        readonly ExpectationFailed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Request Header Fields Too Large */
        readonly RequestHeaderFieldsTooLarge: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal Server Error */
        readonly InternalServerError: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable2: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description URI Too Long */
        readonly URITooLong: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unauthorized */
        readonly Unauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable3: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too Many Requests */
        readonly TooManyRequests: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest3: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden2: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable4: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported Media Type */
        readonly UnsupportedMediaType: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unprocessable Entity */
        readonly UnprocessableEntity: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest4: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] | {
                    readonly accepted: number;
                    readonly refused: number;
                    readonly results: ({
                        readonly index: number;
                        /** @enum {integer} */
                        readonly status: 201;
                        /**
                         * Format: uuid
                         * @description the event id
                         */
                        readonly id: string;
                    } | {
                        readonly index: number;
                        readonly status: number;
                        readonly error: string;
                    })[];
                };
            };
        };
        /** @description Forbidden */
        readonly Forbidden3: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] | {
                    readonly accepted: number;
                    readonly refused: number;
                    readonly results: ({
                        readonly index: number;
                        /** @enum {integer} */
                        readonly status: 201;
                        /**
                         * Format: uuid
                         * @description the event id
                         */
                        readonly id: string;
                    } | {
                        readonly index: number;
                        readonly status: number;
                        readonly error: string;
                    })[];
                };
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable5: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] | {
                    readonly accepted: number;
                    readonly refused: number;
                    readonly results: ({
                        readonly index: number;
                        /** @enum {integer} */
                        readonly status: 201;
                        /**
                         * Format: uuid
                         * @description the event id
                         */
                        readonly id: string;
                    } | {
                        readonly index: number;
                        readonly status: number;
                        readonly error: string;
                    })[];
                };
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge3: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unprocessable Entity */
        readonly UnprocessableEntity2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"] | {
                    readonly accepted: number;
                    readonly refused: number;
                    readonly results: ({
                        readonly index: number;
                        /** @enum {integer} */
                        readonly status: 201;
                        /**
                         * Format: uuid
                         * @description the event id
                         */
                        readonly id: string;
                    } | {
                        readonly index: number;
                        readonly status: number;
                        readonly error: string;
                    })[];
                };
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable6: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden4: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable7: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden5: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden6: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest5: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden7: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden8: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable8: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden9: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest6: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Request Timeout */
        readonly RequestTimeout2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Expectation Failed */
        readonly ExpectationFailed2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Request Header Fields Too Large */
        readonly RequestHeaderFieldsTooLarge2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden10: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Unauthorized */
        readonly Unauthorized2: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable9: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Too Many Requests */
        readonly TooManyRequests2: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Unsupported Media Type */
        readonly UnsupportedMediaType2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge4: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Unprocessable Entity */
        readonly UnprocessableEntity3: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Internal Server Error */
        readonly InternalServerError2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest7: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description URI Too Long */
        readonly URITooLong2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable10: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge5: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Not Found */
        readonly NotFound2: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest8: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable11: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden11: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge6: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest9: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable12: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorOfAlbums"];
            };
        };
        /** @description Bad Request */
        readonly BadRequest10: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden12: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable13: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        readonly Forbidden13: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable */
        readonly ServiceUnavailable14: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too Many Requests */
        readonly TooManyRequests3: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Payload Too Large */
        readonly PayloadTooLarge7: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description no such path: {method} {path} */
        readonly PATH_NOT_FOUND: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description method: expected {allowed}, got {method} */
        readonly METHOD_NOT_ALLOWED: {
            headers: {
                readonly Allow: components["headers"]["Allow"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description CONNECT: this is no proxy; expected GET, HEAD, POST or PUT with a path */
        readonly CONNECT: {
            headers: {
                readonly Allow: components["headers"]["Allow"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description request: {problem} */
        readonly BAD_REQUEST: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the page is not built: run pnpm build, then start the gateway again */
        readonly PAGE_NOT_BUILT: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description How many seconds to wait before the request is sent again, with the same key */
        readonly RetryAfter: number;
        /** @description With a rate limit: what is left (`r`) and the seconds until all of it is back (`t`), as `"key";r=999;t=1` */
        readonly RateLimit: string;
        /** @description With a rate limit: the burst (`q`) and its window in seconds (`w`), as `"key";q=1000;w=10` */
        readonly RateLimitPolicy: string;
        /** @description How to authenticate (RFC 6750) */
        readonly WWWAuthenticate: string;
        /** @description The methods that the path has */
        readonly Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getOpenapiJson: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable"];
        };
    };
    readonly getHealthLive: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly status: "ok";
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable2"];
        };
    };
    readonly getEventsId: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an event id from a header Tally-Event-Id */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly domain: string | null;
                        /** @enum {unknown} */
                        readonly state: "pending" | "parked" | "rejected" | "stored";
                        readonly stored: boolean;
                        readonly ranked: boolean;
                        readonly reason?: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable3"];
        };
    };
    readonly postPurchaseStoreIDCustomerCustIDDateDate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly custID: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly date: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description a list of 1 to 500 items */
                    readonly items: readonly {
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly ItemID: number | string;
                        /** @description an integer from 1 to 1000000 */
                        readonly numberOfItems?: number;
                        /** @description an integer from 1 to 1000000 */
                        readonly "numberOfItems:"?: number;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly unitPrice?: string;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly discountAmount?: string;
                    }[];
                    /**
                     * Format: date-time
                     * @description a time with its offset from UTC (RFC 3339), from 1970 to 15 minutes from now
                     */
                    readonly soldAt?: string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden2"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getPurchases: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly date?: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly customer?: number | string;
                /** @description an integer from 1 to 1000 */
                readonly limit?: number | string;
                /** @description the nextCursor of an earlier response */
                readonly cursor?: string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly purchases: {
                            readonly eventID: string;
                            readonly storeID: number;
                            readonly custID: number;
                            readonly date: string;
                            readonly items: {
                                readonly ItemID: number;
                                readonly numberOfItems: number;
                                /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                                readonly unitPrice?: string;
                                /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                                readonly discountAmount?: string;
                                readonly name?: string;
                            }[];
                            readonly soldAt?: string;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden7"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly postPurchases: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly {
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly storeID: number | string;
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly custID: number | string;
                    /** @description a calendar date as yyyymmdd */
                    readonly date: string | number;
                    /** @description a list of 1 to 500 items */
                    readonly items: readonly {
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly ItemID: number | string;
                        /** @description an integer from 1 to 1000000 */
                        readonly numberOfItems?: number;
                        /** @description an integer from 1 to 1000000 */
                        readonly "numberOfItems:"?: number;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly unitPrice?: string;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly discountAmount?: string;
                    }[];
                    /**
                     * Format: date-time
                     * @description a time with its offset from UTC (RFC 3339), from 1970 to 15 minutes from now
                     */
                    readonly soldAt?: string;
                    /** @description 1 to 255 visible ASCII characters */
                    readonly idempotencyKey?: string;
                }[];
                readonly "application/x-ndjson": string;
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            /** @description The entries differ: each has its own status */
            readonly 207: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfter"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest4"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden3"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge3"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity2"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable5"];
        };
    };
    readonly postPurchasesEventIDVoid: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description the event id of a purchase, from a header Tally-Event-Id */
                readonly eventID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly storeID?: number | string;
                    /** @description a text of 1 to 200 characters, without control characters and without spaces at its ends */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden2"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable6"];
        };
    };
    readonly postPurchasesEventIDRefunds: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key": string;
            };
            readonly path: {
                /** @description the event id of a purchase, from a header Tally-Event-Id */
                readonly eventID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly storeID: number | string;
                    /** @description a calendar date as yyyymmdd */
                    readonly date: string | number;
                    /** @description a list of 1 to 500 items of the purchase */
                    readonly items: readonly {
                        /** @description an integer from 0 to 499 */
                        readonly line: number | string;
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly ItemID: number | string;
                        /** @description an integer from 1 to 1000000 */
                        readonly numberOfItems: number;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly amount?: string;
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden4"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly postVoids: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly {
                    /** @description the event id of a purchase, from a header Tally-Event-Id */
                    readonly eventID?: string;
                    /** @description an object with the storeID and the idempotencyKey of the purchase */
                    readonly sale?: {
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly storeID: number | string;
                        /** @description 1 to 255 visible ASCII characters */
                        readonly idempotencyKey: string;
                    };
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly storeID?: number | string;
                    /** @description a text of 1 to 200 characters, without control characters and without spaces at its ends */
                    readonly reason?: string;
                    /** @description 1 to 255 visible ASCII characters */
                    readonly idempotencyKey?: string;
                }[];
                readonly "application/x-ndjson": string;
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            /** @description The entries differ: each has its own status */
            readonly 207: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfter"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest4"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden3"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge3"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity2"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable5"];
        };
    };
    readonly postRefunds: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly {
                    /** @description the event id of a purchase, from a header Tally-Event-Id */
                    readonly eventID?: string;
                    /** @description an object with the storeID and the idempotencyKey of the purchase */
                    readonly sale?: {
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly storeID: number | string;
                        /** @description 1 to 255 visible ASCII characters */
                        readonly idempotencyKey: string;
                    };
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly storeID: number | string;
                    /** @description a calendar date as yyyymmdd */
                    readonly date: string | number;
                    /** @description a list of 1 to 500 items of the purchase */
                    readonly items: readonly {
                        /** @description an integer from 0 to 499 */
                        readonly line: number | string;
                        /** @description an integer from 0 to 9007199254740991 */
                        readonly ItemID: number | string;
                        /** @description an integer from 1 to 1000000 */
                        readonly numberOfItems: number;
                        /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                        readonly amount?: string;
                    }[];
                    /** @description 1 to 255 visible ASCII characters */
                    readonly idempotencyKey?: string;
                }[];
                readonly "application/x-ndjson": string;
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            /** @description The entries differ: each has its own status */
            readonly 207: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfter"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accepted: number;
                        readonly refused: number;
                        readonly results: ({
                            readonly index: number;
                            /** @enum {integer} */
                            readonly status: 201;
                            /**
                             * Format: uuid
                             * @description the event id
                             */
                            readonly id: string;
                        } | {
                            readonly index: number;
                            readonly status: number;
                            readonly error: string;
                        })[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest4"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden3"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge3"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity2"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable5"];
        };
    };
    readonly getItemsStoreStoreID: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly stores: {
                            readonly itemID: number;
                            readonly numberOfItems: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getItemsTop5ItemID: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly stores: {
                            readonly storeID: number;
                            readonly numberOfItems: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getItemsTop10ItemID: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly stores: {
                            readonly storeID: number;
                            readonly numberOfItems: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStoresStoreIDTopItems: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly storeID: number;
                        readonly name?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly items: {
                            readonly rank: number;
                            readonly itemID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getItemsItemIDTopStores: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly itemID: number;
                        readonly name?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly stores: {
                            readonly rank: number;
                            readonly storeID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStoresStoreIDItemsItemIDRank: {
        readonly parameters: {
            readonly query?: {
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description an integer from 0 to 10 */
                readonly around?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly storeID: number;
                        readonly itemID: number;
                        readonly name?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly rank: number | null;
                        readonly quantity?: number;
                        readonly grossSales?: string;
                        readonly netSales?: string;
                        readonly around: {
                            readonly rank: number;
                            readonly itemID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getChainTopItems: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly items: {
                            readonly rank: number;
                            readonly itemID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getRegionsRegionTopItems: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description a text of 1 to 60 characters, without control characters and without spaces at its ends */
                readonly region: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly items: {
                            readonly rank: number;
                            readonly itemID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getChainTopStores: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly total: {
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        };
                        readonly stores: {
                            readonly rank: number;
                            readonly storeID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getRegionsRegionTopStores: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description a text of 1 to 60 characters, without control characters and without spaces at its ends */
                readonly region: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly total: {
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        };
                        readonly stores: {
                            readonly rank: number;
                            readonly storeID: number;
                            readonly name?: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getItemsItemIDTopRegions: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 900 */
                readonly offset?: number | string;
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly itemID: number;
                        readonly name?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly regions: {
                            readonly rank: number;
                            readonly region: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getChainTopCategories: {
        readonly parameters: {
            readonly query?: {
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        readonly categories: {
                            readonly rank: number;
                            readonly category: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getRegionsRegionTopCategories: {
        readonly parameters: {
            readonly query?: {
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly from?: number | string;
                /** @description a calendar date as yyyymmdd */
                readonly to?: number | string;
                /** @description one of quantity, grossSales, netSales */
                readonly by?: "quantity" | "grossSales" | "netSales";
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description a text of 1 to 60 characters, without control characters and without spaces at its ends */
                readonly region: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly region?: string;
                        readonly from?: string;
                        readonly to?: string;
                        /**
                         * @description one of quantity, grossSales, netSales
                         * @enum {unknown}
                         */
                        readonly by: "quantity" | "grossSales" | "netSales";
                        readonly currency?: string;
                        readonly categories: {
                            readonly rank: number;
                            readonly category: string;
                            readonly quantity?: number;
                            readonly grossSales?: string;
                            readonly netSales?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getPurchasesLatest: {
        readonly parameters: {
            readonly query: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
                /** @description the list in the CSV, by default purchases */
                readonly list?: "purchases" | "refunds";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly purchases: {
                            readonly eventID: string;
                            readonly storeID: number;
                            readonly custID: number;
                            readonly date: string;
                            readonly items: {
                                readonly ItemID: number;
                                readonly numberOfItems: number;
                                /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                                readonly unitPrice?: string;
                                /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                                readonly discountAmount?: string;
                                readonly name?: string;
                            }[];
                            readonly soldAt?: string;
                            readonly arrivedAt?: string;
                            /** @constant */
                            readonly voided?: true;
                            readonly refundedItems?: number;
                        }[];
                        readonly isComplete: boolean;
                        readonly refunds: {
                            readonly eventID: string;
                            /** @enum {unknown} */
                            readonly kind: "void" | "refund";
                            readonly storeID: number;
                            readonly date: string;
                            readonly items: {
                                readonly line: number;
                                readonly ItemID: number;
                                readonly numberOfItems: number;
                                readonly amount?: string;
                                readonly name?: string;
                            }[];
                            readonly reason?: string;
                            readonly saleEventID: string;
                            readonly arrivedAt?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden7"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getPurchasesEventID: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
                /** @description the list in the CSV, by default items */
                readonly list?: "items" | "corrections";
            };
            readonly header?: never;
            readonly path: {
                /** @description the event id of a purchase, from a header Tally-Event-Id */
                readonly eventID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly eventID: string;
                        readonly storeID: number;
                        readonly custID: number;
                        readonly date: string;
                        readonly items: {
                            readonly line: number;
                            readonly ItemID: number;
                            readonly numberOfItems: number;
                            /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                            readonly unitPrice?: string;
                            /** @description an amount as text such as "1.99", at most 12 digits before the point and 4 after it */
                            readonly discountAmount?: string;
                            readonly refundable: number;
                            readonly name?: string;
                        }[];
                        readonly soldAt?: string;
                        /** @constant */
                        readonly state: "stored";
                        readonly storeName?: string;
                        readonly corrections: {
                            readonly eventID: string;
                            /** @enum {unknown} */
                            readonly kind: "void" | "refund";
                            readonly storeID: number;
                            readonly date: string;
                            readonly items: {
                                readonly line: number;
                                readonly ItemID: number;
                                readonly numberOfItems: number;
                                readonly amount?: string;
                                readonly name?: string;
                            }[];
                            readonly reason?: string;
                            readonly arrivedAt?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStoresStoreIDSales: {
        readonly parameters: {
            readonly query?: {
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly storeID: number;
                        readonly date: string;
                        readonly zone: string;
                        readonly quantity: number;
                        readonly grossSales: string;
                        readonly discounts: string;
                        readonly returns: string;
                        readonly netSales: string;
                        readonly receipts: number;
                        readonly currency?: string;
                        readonly hours: {
                            readonly hour: string | null;
                            readonly offset: string | null;
                            readonly quantity: number;
                            readonly grossSales: string;
                            readonly discounts: string;
                            readonly returns: string;
                            readonly netSales: string;
                            readonly receipts: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getChainSales: {
        readonly parameters: {
            readonly query?: {
                /** @description a calendar date as yyyymmdd, today or yesterday */
                readonly date?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
                /** @description the list in the CSV, by default hours */
                readonly list?: "hours" | "regions" | "alerts";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly date: string;
                        readonly zone: string;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly currency?: string;
                        readonly quantity: number;
                        readonly grossSales?: string;
                        readonly discounts?: string;
                        readonly returns?: string;
                        readonly netSales?: string;
                        readonly receipts?: number;
                        readonly weekAgo?: {
                            readonly date: string;
                            readonly quantity: number;
                            readonly grossSales?: string;
                            readonly discounts?: string;
                            readonly returns?: string;
                            readonly netSales?: string;
                            readonly receipts?: number;
                            readonly day: {
                                readonly quantity: number;
                                readonly grossSales?: string;
                                readonly discounts?: string;
                                readonly returns?: string;
                                readonly netSales?: string;
                                readonly receipts?: number;
                            };
                        };
                        readonly hours: {
                            readonly from: string;
                            readonly hour: string;
                            readonly offset: string;
                            readonly quantity: number;
                            readonly grossSales?: string;
                            readonly discounts?: string;
                            readonly returns?: string;
                            readonly netSales?: string;
                            readonly receipts?: number;
                            readonly weekAgo?: {
                                readonly quantity: number;
                                readonly grossSales?: string;
                                readonly discounts?: string;
                                readonly returns?: string;
                                readonly netSales?: string;
                                readonly receipts?: number;
                            };
                        }[];
                        readonly regions: {
                            readonly region?: string;
                            readonly quantity: number;
                            readonly grossSales?: string;
                            readonly discounts?: string;
                            readonly returns?: string;
                            readonly netSales?: string;
                            readonly receipts?: number;
                            readonly weekAgo?: {
                                readonly quantity: number;
                                readonly grossSales?: string;
                                readonly discounts?: string;
                                readonly returns?: string;
                                readonly netSales?: string;
                                readonly receipts?: number;
                            };
                        }[];
                        /** Format: date-time */
                        readonly alertsAsOf: string | null;
                        readonly alerts: {
                            /** @enum {unknown} */
                            readonly rule: "silent" | "dates" | "returns" | "surge";
                            readonly storeID?: number;
                            readonly name?: string;
                            readonly region?: string;
                            readonly itemID?: number;
                            readonly since: string;
                            readonly text: string;
                            /** Format: date-time */
                            readonly lastSaleAt?: string | null;
                            readonly usual?: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getAlertRules: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly rules: {
                            /** @enum {unknown} */
                            readonly rule: "silent" | "dates" | "returns" | "surge";
                            readonly isOn: boolean;
                            readonly minutes: number;
                            readonly minimum: number;
                            readonly above: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStores: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 1000 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly after?: number | string;
                /** @description a text of at most 100 characters, none of them U+0000 */
                readonly search?: string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly stores: {
                            readonly storeID: number;
                            readonly zone: string;
                            readonly closingHour: number;
                            readonly name?: string;
                            readonly region?: string;
                            readonly validFrom?: string;
                            readonly currency?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStoresStoreID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly storeID: number;
                        readonly zone: string;
                        readonly closingHour: number;
                        readonly name?: string;
                        readonly region?: string;
                        readonly validFrom?: string;
                        readonly currency?: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden5"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly putStoresStoreID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly storeID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description the IANA name of a time zone, such as America/New_York */
                    readonly zone: string;
                    /** @description an integer from 0 to 6 */
                    readonly closingHour?: number | string;
                    /** @description a text of 1 to 100 characters, without control characters and without spaces at its ends */
                    readonly name?: string;
                    /** @description a text of 1 to 60 characters, without control characters and without spaces at its ends, not ".", not ".." */
                    readonly region?: string;
                    /** @description a calendar date as yyyymmdd */
                    readonly validFrom?: string | number;
                    /** @description an ISO 4217 code of a currency, such as EUR */
                    readonly currency?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK: committed */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly storeID: number;
                        readonly zone: string;
                        readonly closingHour: number;
                        readonly name?: string;
                        readonly region?: string;
                        readonly validFrom?: string;
                        readonly currency?: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden8"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable8"];
        };
    };
    readonly getItems: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 1000 */
                readonly limit?: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly after?: number | string;
                /** @description a text of at most 100 characters, none of them U+0000 */
                readonly search?: string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: {
                            readonly itemID: number;
                            readonly name: string;
                            readonly category?: string;
                            readonly validFrom?: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getItemsItemID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly itemID: number;
                        readonly name: string;
                        readonly category?: string;
                        readonly validFrom?: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden7"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly putItemsItemID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly itemID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description a text of 1 to 100 characters, without control characters and without spaces at its ends */
                    readonly name: string;
                    /** @description a text of 1 to 60 characters, without control characters and without spaces at its ends */
                    readonly category?: string;
                    /** @description a calendar date as yyyymmdd */
                    readonly validFrom?: string | number;
                };
            };
        };
        readonly responses: {
            /** @description OK: committed */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly itemID: number;
                        readonly name: string;
                        readonly category?: string;
                        readonly validFrom?: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden9"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable8"];
        };
    };
    readonly putAlertRulesRule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly rule: "silent" | "dates" | "returns" | "surge";
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly isOn?: boolean;
                    /** @description an integer from 15 to 1440 */
                    readonly minutes?: number | string;
                    /** @description an integer from 0 to 1000000 */
                    readonly minimum?: number | string;
                    readonly above?: number;
                };
            };
        };
        readonly responses: {
            /** @description OK: committed */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {unknown} */
                        readonly rule: "silent" | "dates" | "returns" | "surge";
                        readonly isOn: boolean;
                        readonly minutes: number;
                        readonly minimum: number;
                        readonly above: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden9"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable8"];
        };
    };
    readonly postAlbums: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description a PNG, JPEG, GIF or WebP picture
                     */
                    readonly image: string;
                    /** @description JSON {"artist", "title", "year"}, or "class AlbumsProfile {\n    artist: …\n    title: …\n    year: …\n}" */
                    readonly profile: {
                        readonly artist: string;
                        readonly title: string;
                        readonly year: string | number;
                    } | string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 200: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly albumID: string;
                        readonly imageSize: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest6"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden10"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge4"];
            readonly 415: components["responses"]["UnsupportedMediaType2"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 422: components["responses"]["UnprocessableEntity3"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable9"];
        };
    };
    readonly postReviewOpinionAlbumID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description like or dislike */
                readonly opinion: "like" | "dislike";
                readonly albumID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest7"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden10"];
            readonly 404: components["responses"]["NotFound2"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge5"];
            readonly 414: components["responses"]["URITooLong2"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 422: components["responses"]["UnprocessableEntity3"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable10"];
        };
    };
    readonly getAlbumsAlbumID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly albumID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly artist: string;
                        readonly title: string;
                        readonly year: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest8"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden11"];
            readonly 404: components["responses"]["NotFound2"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge6"];
            readonly 414: components["responses"]["URITooLong2"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable11"];
        };
    };
    readonly getAlbumsAlbumIDImage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly albumID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bytes. They never change, so caches may keep them; with an API key only private ones */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                    readonly "image/jpeg": string;
                    readonly "image/gif": string;
                    readonly "image/webp": string;
                };
            };
            readonly 400: components["responses"]["BadRequest8"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden11"];
            readonly 404: components["responses"]["NotFound2"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge6"];
            readonly 414: components["responses"]["URITooLong2"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable11"];
        };
    };
    readonly getReviewAlbumID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly albumID: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly likes: number;
                        readonly dislikes: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest8"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden11"];
            readonly 404: components["responses"]["NotFound2"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge6"];
            readonly 414: components["responses"]["URITooLong2"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable11"];
        };
    };
    readonly getAlbumsTop: {
        readonly parameters: {
            readonly query?: {
                /** @description likes or dislikes */
                readonly by?: "likes" | "dislikes";
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * @description likes or dislikes
                         * @enum {string}
                         */
                        readonly by: "likes" | "dislikes";
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly albums: {
                            readonly albumID: string;
                            readonly count: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest9"];
            readonly 401: components["responses"]["Unauthorized2"];
            readonly 403: components["responses"]["Forbidden11"];
            readonly 408: components["responses"]["RequestTimeout2"];
            readonly 413: components["responses"]["PayloadTooLarge6"];
            readonly 417: components["responses"]["ExpectationFailed2"];
            readonly 429: components["responses"]["TooManyRequests2"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge2"];
            readonly 500: components["responses"]["InternalServerError2"];
            readonly 503: components["responses"]["ServiceUnavailable12"];
        };
    };
    readonly postSkiersLiftrides: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description a resort of 1 to 64 printable characters */
                    readonly resortID: string | number;
                    /** @description an integer from 0 to 65535 */
                    readonly dayID: number | string;
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly skierID?: number | string;
                    /** @description an integer from 0 to 1440 */
                    readonly time: number | string;
                    /** @description an integer from 0 to 1000000 */
                    readonly liftID: number | string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest10"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden12"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getSkiersResortIDSeasonsSeasonIDDaysDayIDSkiersSkierID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description a resort of 1 to 64 printable characters */
                readonly resortID: string;
                /** @description an integer from 0 to 65535 */
                readonly seasonID: number | string;
                /** @description an integer from 0 to 65535 */
                readonly dayID: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly skierID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": number;
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly postSkiersResortIDSeasonsSeasonIDDaysDayIDSkiersSkierID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description a resort of 1 to 64 printable characters */
                readonly resortID: string;
                /** @description an integer from 0 to 65535 */
                readonly seasonID: number | string;
                /** @description an integer from 0 to 65535 */
                readonly dayID: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly skierID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description an integer from 0 to 1440 */
                    readonly time: number | string;
                    /** @description an integer from 0 to 1000000 */
                    readonly liftID: number | string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden12"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getSkiersResortIDDaysDayIDSkiersSkierID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description a resort of 1 to 64 printable characters */
                readonly resortID: string;
                /** @description an integer from 0 to 65535 */
                readonly dayID: number | string;
                /** @description an integer from 0 to 9007199254740991 */
                readonly skierID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly resortID: string;
                        readonly totalVert: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getSkiersSkierIDVertical: {
        readonly parameters: {
            readonly query: {
                /** @description a resort of 1 to 64 printable characters */
                readonly resort: string;
                /** @description an integer from 0 to 65535 */
                readonly season?: number | string;
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly skierID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly resortID: string;
                        readonly totalVert: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getResortDayTop10vert: {
        readonly parameters: {
            readonly query: {
                /** @description a resort of 1 to 64 printable characters */
                readonly resort: string;
                /** @description an integer from 0 to 65535 */
                readonly dayID: number | string;
                /** @description an integer from 0 to 65535 */
                readonly season?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly topTenSkiers: {
                            readonly skierID: string;
                            readonly VertcialTotal: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly postStepsUserIDDayTimeIntervalStepCount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
                /** @description an integer from 1 to 4294967295 */
                readonly day: number | string;
                /** @description an integer from 0 to 23 */
                readonly timeInterval: number | string;
                /** @description an integer from 0 to 100000 */
                readonly stepCount: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 200: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": "accepted";
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden12"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getStepsCurrentUserID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": number;
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStepsSingleUserIDDay: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
                /** @description an integer from 1 to 4294967295 */
                readonly day: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": number;
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStepsRangeUserIDStartDayNumDays: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
                /** @description an integer from 1 to 4294967295 */
                readonly startDay: number | string;
                /** @description an integer from 0 to 10000 */
                readonly numDays: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": number[];
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStepsTop: {
        readonly parameters: {
            readonly query: {
                /** @description an integer from 1 to 4294967295 */
                readonly day: number | string;
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly day: number;
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly users: {
                            readonly userID: number;
                            readonly steps: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly postSwipeLeftorright: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /** @description left or right */
                readonly leftorright: "left" | "right";
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly swiper: number | string;
                    /** @description an integer from 0 to 9007199254740991 */
                    readonly swipee: number | string;
                    /** @description a text of at most 256 characters, none of them U+0000 */
                    readonly comment?: string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted: durable at the message broker. The row and the rankings follow within a moment */
            readonly 201: {
                headers: {
                    /** @description The id of the event: `GET /events/{id}` shows whether it is stored and ranked */
                    readonly "Tally-Event-Id": string;
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden12"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 422: components["responses"]["UnprocessableEntity"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getMatchesUserID: {
        readonly parameters: {
            readonly query?: {
                /** @description true or false */
                readonly mutual?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly matchList: string[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStatsUserID: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description an integer from 0 to 9007199254740991 */
                readonly userID: number | string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly numLlikes: number;
                        readonly numLikes: number;
                        readonly numDislikes: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getSwipesTop: {
        readonly parameters: {
            readonly query?: {
                /** @description an integer from 1 to 100 */
                readonly limit?: number | string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** Format: date-time */
                        readonly asOf: string | null;
                        readonly users: {
                            readonly userID: string;
                            readonly likes: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable7"];
        };
    };
    readonly getStatus: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
                /** @description the list in the CSV, by default servers */
                readonly list?: "servers" | "domains" | "hops" | "processes" | "lastErrors";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly at: string;
                        /** @enum {unknown} */
                        readonly state: "ok" | "behind" | "failing";
                        readonly problems: string[];
                        readonly servers: {
                            /** @enum {unknown} */
                            readonly name: "broker" | "databaseWrite" | "databaseRead" | "redis";
                            readonly node?: string;
                            /** @enum {unknown} */
                            readonly state: "up" | "blocked" | "down";
                            readonly latencyMs: number | null;
                        }[];
                        readonly domains: {
                            readonly name: string;
                            readonly accepted: {
                                readonly events: number;
                                readonly perSecond: number;
                            };
                            readonly stored: {
                                readonly events: number;
                                readonly perSecond: number;
                            };
                            readonly ranked: {
                                readonly events: number;
                                readonly perSecond: number;
                            };
                            readonly queues: {
                                readonly ingest: {
                                    readonly batches: number | null;
                                    readonly held: number | null;
                                    readonly events: number | null;
                                };
                                readonly rank: {
                                    readonly batches: number | null;
                                    readonly held: number | null;
                                    readonly events: number | null;
                                };
                            };
                            readonly secondsToDrain: number | null;
                            readonly lastStoredAt: string | null;
                        }[];
                        readonly secondsToDrain: number | null;
                        readonly replicaLagMs: number | null;
                        readonly hops: {
                            /** @enum {unknown} */
                            readonly name: "received-sealed" | "sealed-confirmed" | "confirmed-responded" | "sealed-stored" | "stored-ranked";
                            readonly batches: number;
                            readonly p50Ms: number;
                            readonly p99Ms: number;
                        }[];
                        readonly processes: {
                            /** @enum {unknown} */
                            readonly app: "gateway" | "writer" | "ranker";
                            readonly host: string;
                            readonly pid: number;
                            /** @enum {unknown} */
                            readonly state: "up" | "gone";
                            readonly startedAt: string;
                            readonly heartbeatAt: string;
                            readonly clockOffsetMs: number | null;
                            readonly threads: {
                                readonly index: number;
                                /** @enum {unknown} */
                                readonly state: "starting" | "ready" | "restarting" | "stopping" | "stopped";
                                readonly restarts: number;
                                readonly lastError: string | null;
                            }[];
                        }[];
                        readonly deadLetters: {
                            readonly open: number;
                            readonly parked: number;
                            readonly replayed: number;
                            readonly discarded: number;
                        } | null;
                        readonly lastErrors: {
                            readonly at: string;
                            readonly app: string;
                            readonly host: string;
                            readonly pid: number;
                            readonly thread: number | null;
                            /** @enum {unknown} */
                            readonly level: "warn" | "error" | "fatal";
                            readonly message: string;
                            readonly times: number;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable13"];
        };
    };
    readonly getViews: {
        readonly parameters: {
            readonly query?: {
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly views: {
                            readonly name: string;
                            readonly title: string;
                            readonly params: {
                                readonly name: string;
                                readonly label: string;
                                /** @enum {unknown} */
                                readonly kind: "id" | "date" | "text" | "choice";
                                readonly default?: string;
                                readonly choices?: string[];
                            }[];
                            readonly path: string;
                            readonly list: string;
                            readonly member: {
                                readonly field: string;
                                readonly label: string;
                            };
                            readonly memberName?: string;
                            readonly count: {
                                readonly field: string;
                                readonly label: string;
                            };
                            readonly image?: string;
                            readonly domain: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable13"];
        };
    };
    readonly getDeadLetters: {
        readonly parameters: {
            readonly query?: {
                readonly domain?: string;
                /** @description rejected, conflict, message or delivery */
                readonly stage?: "rejected" | "conflict" | "message" | "delivery";
                /** @description open, parked, replayed or discarded */
                readonly state?: "open" | "parked" | "replayed" | "discarded";
                /** @description an integer from 1 to 1000 */
                readonly limit?: string;
                /** @description csv; without it the response is JSON */
                readonly format?: "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly deadLetters: {
                            readonly id: string;
                            readonly domain: string;
                            /**
                             * @description rejected, conflict, message or delivery
                             * @enum {unknown}
                             */
                            readonly stage: "rejected" | "conflict" | "message" | "delivery";
                            /**
                             * @description open, parked, replayed or discarded
                             * @enum {unknown}
                             */
                            readonly state: "open" | "parked" | "replayed" | "discarded";
                            readonly queue: string;
                            readonly messageId: string;
                            readonly reason: string;
                            readonly diedAt: string;
                        }[];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable3"];
        };
    };
    readonly getDeadLettersId: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly domain: string;
                        /**
                         * @description rejected, conflict, message or delivery
                         * @enum {unknown}
                         */
                        readonly stage: "rejected" | "conflict" | "message" | "delivery";
                        /**
                         * @description open, parked, replayed or discarded
                         * @enum {unknown}
                         */
                        readonly state: "open" | "parked" | "replayed" | "discarded";
                        readonly queue: string;
                        readonly messageId: string;
                        readonly reason: string;
                        readonly diedAt: string;
                        readonly event?: unknown;
                        readonly message?: string;
                        readonly bytes: number;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest2"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden6"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable3"];
        };
    };
    readonly postDeadLettersIdDiscard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly domain: string;
                        /**
                         * @description rejected, conflict, message or delivery
                         * @enum {unknown}
                         */
                        readonly stage: "rejected" | "conflict" | "message" | "delivery";
                        /**
                         * @description open, parked, replayed or discarded
                         * @enum {unknown}
                         */
                        readonly state: "open" | "parked" | "replayed" | "discarded";
                        readonly queue: string;
                        readonly messageId: string;
                        readonly reason: string;
                        readonly diedAt: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden13"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable8"];
        };
    };
    readonly postDeadLettersIdReplay: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        readonly domain: string;
                        /**
                         * @description rejected, conflict, message or delivery
                         * @enum {unknown}
                         */
                        readonly stage: "rejected" | "conflict" | "message" | "delivery";
                        /**
                         * @description open, parked, replayed or discarded
                         * @enum {unknown}
                         */
                        readonly state: "open" | "parked" | "replayed" | "discarded";
                        readonly queue: string;
                        readonly messageId: string;
                        readonly reason: string;
                        readonly diedAt: string;
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest3"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden13"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge2"];
            readonly 414: components["responses"]["URITooLong"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable4"];
        };
    };
    readonly getLive: {
        readonly parameters: {
            readonly query?: {
                /** @description 1 to 8 paths of GET routes with a JSON response */
                readonly watch?: readonly string[];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": unknown;
                };
            };
            readonly 400: components["responses"]["BadRequest5"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden7"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge7"];
            readonly 417: components["responses"]["ExpectationFailed"];
            readonly 429: components["responses"]["TooManyRequests3"];
            readonly 431: components["responses"]["RequestHeaderFieldsTooLarge"];
            readonly 500: components["responses"]["InternalServerError"];
            readonly 503: components["responses"]["ServiceUnavailable14"];
        };
    };
}
