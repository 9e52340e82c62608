#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz harness and runs each for the given number of seconds.
# usage: fuzz.sh SECONDS
set -eu
seconds=$1
cd "$(dirname "$0")/../Tests/Fuzz"
swift build --sanitize=fuzzer
mkdir -p .build/corpus
for source in Sources/*/Harness.swift; do
    name=$(basename "$(dirname "$source")")
    corpus=.build/corpus/$name
    mkdir -p "$corpus"
    case $name in
        NIP155 | NIP55 | NIP07 | NEP413 | JSON) seeds=../../Examples/requests ;;
        NEAR)
            seeds=.build/seeds/near
            python3 ../../Tools/near_seeds.py ../Vectors/near "$seeds"
            ;;
        ARC27)
            seeds=.build/seeds/algorand
            python3 ../../Tools/algorand_seeds.py ../Vectors/algorand "$seeds"
            ;;
        Agent)
            seeds=.build/seeds/agent
            mkdir -p "$seeds"
            digest=0000000000000000000000000000000000000000000000000000000000000000
            echo '0{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{}}}' > "$seeds/message"
            printf '1Content-Length:2\nTransfer-Encoding:chunked\n' > "$seeds/head"
            echo '2{"wire":"arc27","frame_base64":"AAAA","client":"x"}' > "$seeds/submission"
            echo '3{"answer":"1h","seen":"'$digest'","uses":3,"total":"2 ALGO","grant":"1"}' \
                > "$seeds/answer"
            echo '4{"passphrase":"AAAA"}' > "$seeds/owner"
            ;;
        Browser)
            seeds=.build/seeds/browser
            mkdir -p "$seeds"
            page='"origin":"https://a.example","top_origin":"https://a.example","document":"1"'
            for call in 'nip07 {\"id\":1,\"method\":\"signEvent\",\"params\":[{\"kind\":1}]}' \
                'nep413 {\"method\":\"signMessage\",\"params\":{\"message\":\"x\"}}' \
                'arc27 {\"id\":\"1\",\"reference\":\"arc0027:enable:request\",\"params\":{}}'; do
                printf '0{"id":"%032d","wire":"%s","frame":"%s",%s}' 0 "${call%% *}" "${call#* }" \
                    "$page" > "$seeds/${call%% *}"
            done
            printf '0\12\0\0\0{"drop":"1"}' > "$seeds/stream"
            ;;
        Owner)
            seeds=.build/seeds/owner
            mkdir -p "$seeds"
            # Numbers for session, method and path; the query; the body.
            digest=0000000000000000000000000000000000000000000000000000000000000000
            printf '\1\0\3after=1\n' > "$seeds/questions"
            printf '\1\1\6\n{"answer":"once","seen":"SEEN"}' > "$seeds/answer"
            printf '\0\1\6\n{"answer":"once","seen":"SEEN"}' > "$seeds/stranger"
            printf '\1\1\11id=%s\n{"answer":"yes","seen":"%s"}' "$digest" "$digest" \
                > "$seeds/approval"
            printf '\1\0\16before=9&last=5\n' > "$seeds/audit"
            printf '\1\1\25\n{"wire":"nip155","frame":"nostrsigner:x"}' > "$seeds/explain"
            printf '\1\1\26\n{"uri":"liquid://a.example/?requestId=1"}' > "$seeds/liquid"
            printf '\0\1\1\n{"passphrase":"AAAA"}' > "$seeds/session"
            ;;
        Relays)
            seeds=.build/seeds/relays
            mkdir -p "$seeds"
            printf '0["EVENT","letters0",{"kind":24133,"tags":[["p","x"]]}]' > "$seeds/event"
            printf '0["OK","x",false,"auth-required: x"]' > "$seeds/ok"
            printf '1AAAA?iv=AAAA' > "$seeds/content"
            for method in connect sign_event nip44_encrypt switch_relays logout; do
                printf '2{"id":"1","method":"%s","params":["",""]}' "$method" > "$seeds/$method"
                printf '3{"id":"1","method":"%s","params":["",""]}' "$method" > "$seeds/$method.in"
            done
            echo '4wss://relay.example/a?b' > "$seeds/relay"
            ;;
        Liquid)
            seeds=.build/seeds/liquid
            mkdir -p "$seeds"
            printf '0{"liquid":"register","origin":"https://a.example","requestId":"1","options":{}}' \
                > "$seeds/register"
            printf '142["answer-candidate",{"candidate":"x","sdpMLineIndex":0}]' > "$seeds/candidate"
            printf '142["offer-description","v=0"]' > "$seeds/offer"
            printf '2liquid://a.example/?requestId=1' > "$seeds/uri"
            printf '3{"id":"1","reference":"arc0027:enable:request","params":{}}' > "$seeds/frame"
            printf '3{"reference":"liquidauth:negotiate:offer"}' > "$seeds/negotiate"
            printf '4{"url":"turn:a.example","user":"u","password":"p"}' > "$seeds/server"
            ;;
        Record)
            seeds=.build/seeds/record
            mkdir -p "$seeds"
            key=$(printf '%064d' 0)
            printf '1{"demands":[{"min":1,"of":[{"key":"%s","name":"a"}],"rule":"r","submitter_may_approve":false,"within":900}],"expires":1900,"keys":["k"],"kind":"countersign question v1","nonce":"%s","own_keys":[],"policy":"%s","request":"%s","text":"t","totals":[]}' \
                "$key" "$(printf '%032d' 0)" "$key" "$key" > "$seeds/question"
            printf '4countersign-hub-1 01234567 1 a 7:%s %s%s' "$key" "$key" "$key" > "$seeds/statement"
            printf '58bytes..8bytes..{"kind":"hub","time":5,"what":"join","hub":2,"name":"b","key":"00"}' \
                > "$seeds/entry"
            ;;
        Policy) seeds="../../Examples/policies ../../Policies" ;;
        *) seeds= ;;
    esac
    echo "== $name"
    log=.build/corpus/$name.log
    # shellcheck disable=SC2086 # no seeds is no word
    if ! ".build/debug/Fuzz$name" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
        "$corpus" $seeds > "$log" 2>&1; then
        tail -n 40 "$log"
        exit 1
    fi
    tail -n 1 "$log"
done
