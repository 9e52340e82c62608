// SPDX-License-Identifier: Apache-2.0
// A PKCS #11 module in front of SoftHSM that behaves like a token in trouble. The file named by
// TOKEN_FAULT contains the name of the trouble; it is read at each call.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOFTHSM "/usr/lib/softhsm/libsofthsm2.so"
// The number of wrong PINs after which the token locks itself.
#define TRIES 3

static CK_FUNCTION_LIST *real;
static CK_FUNCTION_LIST functions;

static int is(const char *fault) {
    char text[32] = "";
    FILE *file = fopen(getenv("TOKEN_FAULT"), "r");
    if (file) {
        if (!fgets(text, sizeof text, file)) text[0] = 0;
        fclose(file);
    }
    return strcmp(text, fault) == 0;
}

// The number of wrong PINs, which a token keeps, is in a file beside the name of the trouble.
static FILE *tries(const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s.tries", getenv("TOKEN_FAULT"));
    return fopen(path, mode);
}

static int tries_made(void) {
    int made = 0;
    FILE *file = tries("r");
    if (!file) return 0;
    if (fscanf(file, "%d", &made) != 1) made = 0;
    fclose(file);
    return made;
}

static void note_tries(int made) {
    FILE *file = tries("w");
    if (!file) abort();
    fprintf(file, "%d", made);
    fclose(file);
}

// Writes the name of a call beside the name of the trouble.
static void note_call(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s.calls", getenv("TOKEN_FAULT"));
    FILE *file = fopen(path, "a");
    if (!file) abort();
    fprintf(file, "%s\n", name);
    fclose(file);
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    if (is("removed")) return CKR_TOKEN_NOT_PRESENT;
    CK_RV result = real->C_GetTokenInfo(slot, info);
    if (is("exchanged")) memset(info->serialNumber, 'x', sizeof info->serialNumber);
    if (is("counts") && tries_made() == TRIES - 1) info->flags |= CKF_USER_PIN_FINAL_TRY;
    if (is("counts") && tries_made() >= TRIES) info->flags |= CKF_USER_PIN_LOCKED;
    return result;
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_BYTE *pin, CK_ULONG count) {
    note_call("login");
    if (is("locked")) return CKR_PIN_LOCKED;
    if (!is("counts")) return real->C_Login(session, user, pin, count);
    if (tries_made() >= TRIES) return CKR_PIN_LOCKED;
    CK_RV result = real->C_Login(session, user, pin, count);
    note_tries(result == CKR_PIN_INCORRECT ? tries_made() + 1 : 0);
    return result;
}

static CK_RV logout(CK_SESSION_HANDLE session) {
    CK_RV result = real->C_Logout(session);
    note_call(result == CKR_OK ? "logout" : "failed logout");
    return result;
}

static CK_RV get_mechanism_info(CK_SLOT_ID slot, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info) {
    if (is("old") && type == CKM_EDDSA) return CKR_MECHANISM_INVALID;
    return real->C_GetMechanismInfo(slot, type, info);
}

static CK_RV open_session(
    CK_SLOT_ID slot, CK_FLAGS flags, void *data, CK_NOTIFY notify, CK_SESSION_HANDLE *session) {
    if (is("removed")) return CKR_DEVICE_REMOVED;
    return real->C_OpenSession(slot, flags, data, notify, session);
}

static CK_RV sign(
    CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG count, CK_BYTE *signature, CK_ULONG *length) {
    if (is("pulled")) return CKR_DEVICE_REMOVED;
    CK_RV result = real->C_Sign(session, data, count, signature, length);
    if (is("broken") && result == CKR_OK) signature[40] ^= 1;
    return result;
}

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *list, CK_ULONG count) {
    CK_RV result = real->C_GetAttributeValue(session, object, list, count);
    if (result != CKR_OK) return result;
    // Version 3.0 of PKCS #11 does not wrap the point of an Ed25519 key.
    if (is("raw") && list->type == CKA_EC_POINT && list->ulValueLen == 34) {
        list->ulValueLen = 32;
        memmove(list->pValue, (CK_BYTE *)list->pValue + 2, 32);
    }
    // The label of the public half; the private half is found by its own label.
    const char *label = "algorand/porter";
    if (is("relabelled") && list->type == CKA_LABEL) {
        list->ulValueLen = strlen(label);
        memcpy(list->pValue, label, list->ulValueLen);
    }
    if (is("readable") && list->type == CKA_EXTRACTABLE) *(CK_BYTE *)list->pValue = CK_TRUE;
    return result;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    void *library = dlopen(SOFTHSM, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : NULL;
    if (!get) return CKR_GENERAL_ERROR;
    CK_RV result = get(&real);
    if (result != CKR_OK) return result;
    functions = *real;
    functions.C_GetTokenInfo = get_token_info;
    functions.C_Login = login;
    functions.C_Logout = logout;
    functions.C_GetMechanismInfo = get_mechanism_info;
    functions.C_OpenSession = open_session;
    functions.C_Sign = sign;
    functions.C_GetAttributeValue = get_attribute_value;
    *list = &functions;
    return CKR_OK;
}
